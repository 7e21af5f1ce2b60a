-- Seconds until something may be claimed in these scopes, and whether a head sleeps longer than its
-- lane can have told it to: then the clock was set back. A head that is awake after a claim has looked
-- was held by somebody else; it is worth another look soon.
WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs)
SELECT min(d.seconds), coalesce(bool_or(d.overslept), false)
FROM (
    SELECT extract(epoch FROM s.due_at - swather.clock())::float8 AS seconds, false AS overslept
    FROM (SELECT DISTINCT id FROM unnest(%(run_ids)b::bigint[]) AS i (id)) AS r
    CROSS JOIN LATERAL (
        SELECT due_at FROM swather.scheduled WHERE run_id = r.id ORDER BY due_at LIMIT 1
    ) AS s
    UNION ALL
    SELECT extract(epoch FROM h.wake_at - swather.clock())::float8,
           h.wake_at > greatest(
               l.cool_until,
               CASE
                   WHEN l.tripped THEN (
                       SELECT b.probe_at FROM swather.breakers AS b
                       WHERE b.lane_id = h.lane_id AND b.scraper_id = r.scraper_lane_id
                   )
               END,
               swather.clock() + interval '1 second' * (
                   2.5 + greatest(l.every_seconds, g.every) * greatest(l.burst, g.burst)
               )
           )
    FROM unnest(%(run_ids)b::bigint[], %(partitions)b::text[], %(bests)b::smallint[])
        AS o (run_id, partition, best)
    CROSS JOIN LATERAL (
        SELECT lane_id, wake_at FROM swather.heads
        WHERE run_id = o.run_id AND partition = o.partition AND best = o.best
          AND wake_at > swather.clock() AND wake_at < 'infinity'
        ORDER BY wake_at LIMIT 1
    ) AS h
    CROSS JOIN LATERAL (
        SELECT cool_until, every_seconds, burst, tripped, is_public
        FROM swather.lanes WHERE id = h.lane_id OFFSET 0
    ) AS l
    CROSS JOIN LATERAL (
        SELECT scraper_lane_id FROM swather.runs WHERE id = o.run_id OFFSET 0
    ) AS r
    CROSS JOIN LATERAL (
        SELECT coalesce(max(o.every), 0) AS every,
               coalesce(min(o.lane_burst) FILTER (WHERE o.every > 0), 1) AS burst,
               min(o.lane_in_flight) AS in_flight
        FROM (
            SELECT lane_burst, lane_in_flight,
                   CASE
                       WHEN rate_is_default AND l.is_public IS NOT TRUE THEN 0 ELSE lane_every_seconds
                   END AS every
            FROM limiting
            WHERE h.lane_id <> 0 AND (
                id = o.run_id OR (
                    SELECT x.id FROM swather.heads AS x
                    WHERE x.lane_id = h.lane_id AND x.run_id = limiting.id LIMIT 1
                ) IS NOT NULL
            )
        ) AS o
    ) AS g
    UNION ALL
    SELECT 0.02, false
    FROM unnest(%(run_ids)b::bigint[], %(partitions)b::text[], %(bests)b::smallint[])
        AS o (run_id, partition, best)
    CROSS JOIN LATERAL (
        SELECT FROM swather.heads
        WHERE run_id = o.run_id AND partition = o.partition AND best = o.best
          AND wake_at <= swather.clock()
        LIMIT 1
    ) AS h
) AS d
