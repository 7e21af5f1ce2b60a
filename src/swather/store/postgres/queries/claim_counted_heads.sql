-- As claim_heads, with lanes that only a number in flight limits. They are locked here, and leases are
-- counted after that: the function is volatile, so that it sees what was committed by whoever had a
-- lane before. No two heads of one lane may be offered together.
WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs),
held AS MATERIALIZED (
    SELECT o.head_id, o.priority, o.above, o.below, o.quota, o.counted, o.place, h.is_free,
           least(c.in_flight, g.in_flight) AS in_flight,
           h.run_id, h.lane_id, h.partition, coalesce(c.name, l.name) AS lane, r.version
    FROM unnest(
        %(heads)b::bigint[], %(priorities)b::smallint[], %(above)b::bigint[], %(below)b::bigint[],
        %(quotas)b::integer[], %(counted)b::boolean[]
    ) WITH ORDINALITY AS o (head_id, priority, above, below, quota, counted, place)
    CROSS JOIN LATERAL (
        SELECT run_id, lane_id, partition, wake_at = '-infinity' AS is_free
        FROM swather.heads WHERE id = o.head_id OFFSET 0
    ) AS h
    CROSS JOIN LATERAL (
        SELECT version, scraper_lane_id
        FROM swather.runs
        WHERE id = h.run_id AND state = 'open' AND NOT paused
          AND (cool_until IS NULL OR cool_until <= swather.clock())
        OFFSET 0
    ) AS r
    CROSS JOIN LATERAL (
        SELECT FROM swather.lanes WHERE id = r.scraper_lane_id AND NOT limited OFFSET 0
    ) AS s
    CROSS JOIN LATERAL (
        SELECT is_public FROM swather.lanes WHERE id = h.lane_id OFFSET 0
    ) AS p
    CROSS JOIN LATERAL (
        SELECT coalesce(max(o.every), 0) AS every,
               coalesce(min(o.lane_burst) FILTER (WHERE o.every > 0), 1) AS burst,
               min(o.lane_in_flight) AS in_flight
        FROM (
            SELECT lane_burst, lane_in_flight,
                   CASE
                       WHEN rate_is_default AND p.is_public IS NOT TRUE THEN 0 ELSE lane_every_seconds
                   END AS every
            FROM limiting
            WHERE h.lane_id <> 0 AND (
                id = h.run_id OR (
                    SELECT x.id FROM swather.heads AS x
                    WHERE x.lane_id = h.lane_id AND x.run_id = limiting.id LIMIT 1
                ) IS NOT NULL
            )
        ) AS o
    ) AS g
    LEFT JOIN LATERAL (
        SELECT name FROM swather.lanes
        WHERE id = h.lane_id AND NOT o.counted AND NOT limited
          AND NOT (
              tripped AND EXISTS (
                  SELECT FROM swather.breakers AS b
                  WHERE b.lane_id = h.lane_id AND b.scraper_id = r.scraper_lane_id
              )
          )
        OFFSET 0
    ) AS l ON true
    LEFT JOIN LATERAL (
        SELECT name, in_flight FROM swather.lanes
        WHERE id = h.lane_id AND o.counted AND every_seconds = 0 AND NOT paused
          AND (cool_until IS NULL OR cool_until <= swather.clock())
          AND NOT (
              tripped AND EXISTS (
                  SELECT FROM swather.breakers AS b
                  WHERE b.lane_id = h.lane_id AND b.scraper_id = r.scraper_lane_id
              )
          )
        FOR NO KEY UPDATE SKIP LOCKED
    ) AS c ON true
    WHERE EXISTS (
          SELECT FROM swather.workers
          WHERE id = %(worker_id)s AND state = 'live' AND expires_at > swather.clock()
            AND NOT paused AND (cool_until IS NULL OR cool_until <= swather.clock())
      )
      AND CASE
          WHEN o.counted THEN c.name IS NOT NULL AND g.every = 0
          ELSE l.name IS NOT NULL AND g.every = 0 AND g.in_flight IS NULL
      END
      AND (
          h.partition = '' OR %(worker_id)s = (
              SELECT owner_id FROM swather.partitions
              WHERE run_id = h.run_id AND name = h.partition
          )
      )
),
flying AS MATERIALIZED (
    SELECT f.lane_id, f.n
    FROM swather.lanes_in_flight(ARRAY(SELECT lane_id FROM held WHERE counted)) AS f
),
offered AS MATERIALIZED (
    SELECT k.head_id, k.priority, k.above, k.below,
           least(k.quota, k.in_flight - f.n) AS quota,
           k.is_free, k.run_id, k.lane_id, k.partition, k.lane, k.version
    FROM held AS k
    LEFT JOIN flying AS f ON f.lane_id = k.lane_id AND k.counted
    ORDER BY k.place
),
open AS MATERIALIZED (SELECT * FROM offered WHERE quota > 0),
filled AS (
    UPDATE swather.heads
    SET wake_at = swather.clock() + interval '1 second', asleep = 'full'
    WHERE id = ANY(ARRAY(
        SELECT id FROM swather.heads
        WHERE id = ANY(ARRAY(SELECT head_id FROM offered WHERE quota <= 0))
        FOR NO KEY UPDATE SKIP LOCKED
    ))
),
opened AS (
    UPDATE swather.heads
    SET wake_at = '-infinity', asleep = ''
    WHERE id = ANY(ARRAY(
        SELECT id FROM swather.heads
        WHERE id = ANY(ARRAY(SELECT head_id FROM open WHERE NOT is_free))
        FOR NO KEY UPDATE SKIP LOCKED
    ))
),
