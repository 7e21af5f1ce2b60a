-- Heads that a claim may look at: those that nothing holds back, from the cursor on, and those whose
-- time has come. A scope is asked only while the limit is not reached.
SELECT o.entry, h.id, h.best, h.lane_id,
       CASE
           WHEN l.tripped AND EXISTS (
               SELECT FROM swather.breakers AS b
               WHERE b.lane_id = h.lane_id AND b.scraper_id = r.scraper_lane_id
           ) THEN 'paced'
           WHEN NOT l.limited AND (h.lane_id = 0 OR NOT r.limits) THEN 'free'
           WHEN l.is_counted AND NOT r.paces THEN 'counted'
           ELSE 'paced'
       END,
       extract(epoch FROM nullif(h.wake_at, '-infinity'))::float8, h.asleep = 'full'
FROM unnest(
    %(entries)b::integer[], %(run_ids)b::bigint[], %(partitions)b::text[], %(bests)b::smallint[],
    %(after)b::bigint[], %(since)b::float8[]
) AS o (entry, run_id, partition, best, after, since)
CROSS JOIN LATERAL (
    SELECT lane_every_seconds > 0 OR lane_in_flight IS NOT NULL AS limits,
           lane_every_seconds > 0 AS paces, scraper_lane_id
    FROM swather.runs WHERE id = o.run_id OFFSET 0
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
    SELECT limited, tripped,
           every_seconds = 0 AND NOT paused
           AND (cool_until IS NULL OR cool_until <= swather.clock()) AS is_counted
    FROM swather.lanes WHERE id = h.lane_id OFFSET 0
) AS l
LIMIT %(limit)s
