SELECT r.id, r.scraper, r.strategy, r.priorities, r.scraper_lane_id, s.limited,
       ARRAY(
           SELECT p.name FROM swather.partitions AS p
           WHERE p.run_id = r.id AND p.owner_id = w.id
           ORDER BY p.name
       ),
       extract(
           epoch FROM greatest(r.cool_until, s.cool_until, swather.clock()) - swather.clock()
       )::float8
FROM swather.workers AS w
JOIN swather.runs AS r
    ON r.name = ANY(%(names)b::text[])
    AND r.state = 'open' AND NOT r.paused AND r.priorities <> 0
JOIN swather.lanes AS s ON s.id = r.scraper_lane_id AND NOT s.paused
WHERE w.id = %(worker_id)s AND w.state = 'live' AND w.expires_at > swather.clock()
  AND NOT w.paused AND (w.cool_until IS NULL OR w.cool_until <= swather.clock())
ORDER BY r.id
