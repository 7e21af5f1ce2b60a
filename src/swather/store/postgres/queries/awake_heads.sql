-- Heads that a claim may look at: those that nothing holds back, from the cursor on, and those whose
-- time has come. A scope is asked only while the limit is not reached.
WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs)
SELECT o.entry, h.id, h.best, h.lane_id,
       CASE
           WHEN l.tripped AND EXISTS (
               SELECT FROM swather.breakers AS b
               WHERE b.lane_id = h.lane_id AND b.scraper_id = r.scraper_lane_id
           ) THEN 'paced'
           WHEN NOT l.limited AND g.every = 0 AND g.in_flight IS NULL THEN 'free'
           WHEN l.is_counted AND g.every = 0 THEN 'counted'
           ELSE 'paced'
       END,
       extract(epoch FROM nullif(h.wake_at, '-infinity'))::float8, h.asleep = 'full'
FROM unnest(
    %(entries)b::integer[], %(run_ids)b::bigint[], %(partitions)b::text[], %(bests)b::smallint[],
    %(after)b::bigint[], %(since)b::float8[]
) AS o (entry, run_id, partition, best, after, since)
CROSS JOIN LATERAL (
    SELECT scraper_lane_id FROM swather.runs WHERE id = o.run_id OFFSET 0
) AS r
CROSS JOIN LATERAL (
    (
        SELECT id, best, lane_id, wake_at, asleep
        FROM swather.heads
        WHERE run_id = o.run_id AND partition = o.partition AND best = o.best
          AND wake_at = '-infinity' AND id > o.after
        ORDER BY id
        LIMIT %(each)s
    )
    UNION ALL
    (
        SELECT id, best, lane_id, wake_at, asleep
        FROM swather.heads
        WHERE run_id = o.run_id AND partition = o.partition AND best = o.best
          AND wake_at >= to_timestamp(o.since) AND wake_at <= swather.clock()
        ORDER BY wake_at, id
        LIMIT %(each)s
    )
) AS h
CROSS JOIN LATERAL (
    SELECT limited, tripped, is_public,
           every_seconds = 0 AND NOT paused
           AND (cool_until IS NULL OR cool_until <= swather.clock()) AS is_counted
    FROM swather.lanes WHERE id = h.lane_id OFFSET 0
) AS l
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
LIMIT %(limit)s
