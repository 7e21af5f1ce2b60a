WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs)
SELECT l.kind, l.name, l.set_every_seconds, l.set_burst, l.in_flight, l.paused, l.cool_until,
       l.cool_reason,
       CASE l.kind
           WHEN 'lane' THEN (
               SELECT count(*) FROM swather.leases WHERE lane_id = l.id AND lane_id <> 0
           ) + (SELECT coalesce(sum(n), 0)::bigint FROM swather.requests WHERE lane_id = l.id)
           ELSE (
               SELECT count(*) FROM swather.leases
               WHERE run_id IN (SELECT id FROM swather.runs WHERE scraper_lane_id = l.id)
           )
       END,
       CASE WHEN l.forgiven_at <= swather.clock() THEN 0 ELSE l.strikes END,
       l.learned_every_seconds, l.crawl_delay_seconds, g.every, g.burst, g.in_flight,
       coalesce(g.slowest, '')
FROM swather.lanes AS l
CROSS JOIN LATERAL (
    SELECT coalesce(max(o.every), 0) AS every,
           coalesce(min(o.lane_burst) FILTER (WHERE o.every > 0), 1) AS burst,
           min(o.lane_in_flight) AS in_flight,
           (array_agg(o.name ORDER BY o.every DESC) FILTER (WHERE o.every > 0))[1] AS slowest
    FROM (
        SELECT name, lane_burst, lane_in_flight,
               CASE
                   WHEN rate_is_default AND l.is_public IS NOT TRUE THEN 0 ELSE lane_every_seconds
               END AS every
        FROM limiting
        WHERE l.id <> 0 AND (
            id = 0 OR (
                SELECT x.id FROM swather.heads AS x
                WHERE x.lane_id = l.id AND x.run_id = limiting.id LIMIT 1
            ) IS NOT NULL
        )
    ) AS o
) AS g
WHERE l.kind = %(kind)s AND l.name = %(name)s
