-- As scopes_of_runs, whatever is paused or cooling, and whoever owns its partitions.
SELECT r.id, r.scraper, r.strategy, r.priorities, r.scraper_lane_id, false,
       ARRAY(
           SELECT p.name FROM swather.partitions AS p
           WHERE p.run_id = r.id
           ORDER BY p.name
       ),
       0::float8
FROM swather.workers AS w
JOIN swather.runs AS r
    ON r.name = ANY(%(names)b::text[])
    AND r.state = 'open' AND r.priorities <> 0
WHERE w.id = %(worker_id)s AND w.state = 'live' AND w.expires_at > swather.clock()
  AND NOT w.paused AND (w.cool_until IS NULL OR w.cool_until <= swather.clock())
ORDER BY r.id
