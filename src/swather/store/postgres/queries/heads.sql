-- Heads: the front of a lane in one run's partition, asleep or awake.

-- name: ensure_heads
INSERT INTO swather.heads (run_id, partition, lane_id, best, wake_at, asleep)
SELECT %(run_id)s, p.partition, l.id, 0, 'infinity', 'empty'
FROM unnest(%(partitions)b::text[], %(lanes)b::text[]) AS p (partition, lane)
CROSS JOIN LATERAL (
    SELECT id FROM swather.lanes WHERE kind = 'lane' AND name = p.lane OFFSET 0
) AS l
WHERE (
    SELECT id FROM swather.heads
    WHERE run_id = %(run_id)s AND partition = p.partition AND lane_id = l.id
) IS NULL
ORDER BY p.partition, l.id
ON CONFLICT DO NOTHING

-- name: find_heads
SELECT p.partition, p.lane, h.id
FROM unnest(%(partitions)b::text[], %(lanes)b::text[]) AS p (partition, lane)
CROSS JOIN LATERAL (
    SELECT id FROM swather.lanes WHERE kind = 'lane' AND name = p.lane OFFSET 0
) AS l
CROSS JOIN LATERAL (
    SELECT id FROM swather.heads
    WHERE run_id = %(run_id)s AND partition = p.partition AND lane_id = l.id
    OFFSET 0
) AS h

-- name: join_lane
INSERT INTO swather.heads (run_id, partition, lane_id, best, wake_at, asleep)
SELECT id, '', %(lane_id)s, 1, 'infinity', 'empty'
FROM swather.limiting_runs
WHERE id = %(run_id)s
ON CONFLICT (run_id, partition, lane_id) DO NOTHING

-- name: lock_heads_to_wake
-- Locked in order until the transaction ends. Putting a head to sleep takes the same lock, so that no
-- head that is awake here can fall asleep unseen, and one that just has is seen.
SELECT id, best, asleep
FROM swather.heads
WHERE id = ANY(%(heads)b::bigint[])
ORDER BY id
FOR NO KEY UPDATE

-- name: wake_heads
UPDATE swather.heads
SET best = greatest(best, %(best)s),
    wake_at = CASE asleep WHEN 'empty' THEN '-infinity' ELSE wake_at END,
    asleep = CASE asleep WHEN 'empty' THEN '' ELSE asleep END
WHERE id = ANY(%(heads)b::bigint[])

-- name: wake_full_lanes
UPDATE swather.heads
SET wake_at = '-infinity', asleep = ''
WHERE id IN (
    SELECT h.id FROM swather.heads AS h
    WHERE h.asleep = 'full' AND h.lane_id = ANY(%(lanes)b::bigint[])
    FOR NO KEY UPDATE SKIP LOCKED
)

-- name: wake_lane
UPDATE swather.heads
SET wake_at = '-infinity', asleep = ''
WHERE id IN (
    SELECT id FROM swather.heads
    WHERE lane_id = %(lane_id)s AND asleep NOT IN ('', 'empty')
    ORDER BY id
    FOR NO KEY UPDATE
)

-- name: wake_lanes_of_run
-- A run's lane limits have changed: wake the other heads on its lanes.
UPDATE swather.heads
SET wake_at = '-infinity', asleep = ''
WHERE id IN (
    SELECT id FROM swather.heads
    WHERE id = ANY(ARRAY(
        SELECT h.id
        FROM swather.runs AS r
        CROSS JOIN LATERAL (
            SELECT lane_id FROM swather.heads WHERE run_id = r.id AND lane_id <> 0 OFFSET 0
        ) AS o
        CROSS JOIN LATERAL (
            SELECT id FROM swather.heads
            WHERE lane_id = o.lane_id AND asleep IN ('paced', 'full')
            OFFSET 0
        ) AS h
        WHERE r.id = %(run_id)s AND (r.lane_every_seconds > 0 OR r.lane_in_flight IS NOT NULL)
          AND EXISTS (SELECT FROM swather.runs WHERE id <> %(run_id)s AND state = 'open')
    ))
    ORDER BY id
    FOR NO KEY UPDATE
)

-- name: wake_run
UPDATE swather.heads
SET wake_at = '-infinity', asleep = ''
WHERE id IN (
    SELECT id FROM swather.heads
    WHERE run_id = %(run_id)s AND asleep IN ('paced', 'full')
    ORDER BY id
    FOR NO KEY UPDATE
)

-- name: wake_overslept
UPDATE swather.heads
SET wake_at = '-infinity', asleep = ''
WHERE id IN (
    SELECT id FROM swather.heads
    WHERE run_id = ANY(%(run_ids)b::bigint[]) AND asleep IN ('paced', 'full')
      AND wake_at > swather.clock()
    FOR NO KEY UPDATE SKIP LOCKED
)

-- name: wake_unpaced
UPDATE swather.heads
SET wake_at = '-infinity', asleep = ''
WHERE id IN (
    SELECT id FROM swather.heads
    WHERE run_id = ANY(%(run_ids)b::bigint[]) AND asleep NOT IN ('', 'empty')
    FOR NO KEY UPDATE SKIP LOCKED
)
RETURNING id

-- name: sleep_heads
UPDATE swather.heads
SET wake_at = to_timestamp((%(wake_at)b::float8[])[array_position(%(heads)b::bigint[], id)]),
    asleep = (%(asleep)b::text[])[array_position(%(heads)b::bigint[], id)]
WHERE id = ANY(%(heads)b::bigint[])

-- name: lock_heads_to_tidy
SELECT id FROM swather.heads WHERE id = ANY(%(heads)b::bigint[])
FOR NO KEY UPDATE SKIP LOCKED

-- name: tidy_heads
-- For heads locked by lock_heads_to_tidy, so that this statement sees all that was committed before:
-- an empty one sleeps until a task is added, another's best becomes what really waits there.
UPDATE swather.heads AS h
SET (best, wake_at, asleep) = (
    SELECT coalesce(max(o.best), h.best),
           CASE WHEN max(o.best) IS NULL THEN 'infinity' ELSE h.wake_at END,
           CASE WHEN max(o.best) IS NULL THEN 'empty' ELSE h.asleep END
    FROM (
        SELECT priority AS best FROM swather.ready WHERE head_id = h.id
        ORDER BY priority DESC LIMIT 1
    ) AS o
)
WHERE h.id = ANY(%(heads)b::bigint[]) AND h.asleep <> 'empty'
  AND h.best IS DISTINCT FROM (
      SELECT priority FROM swather.ready WHERE head_id = h.id ORDER BY priority DESC LIMIT 1
  )
RETURNING h.id
