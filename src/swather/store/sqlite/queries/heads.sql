-- Heads: the front of a lane in one run's partition, asleep or awake.

-- name: ensure_head
INSERT INTO heads (run_id, partition, lane_id, best, wake_at, asleep)
VALUES (:run_id, :partition, :lane_id, 1, 9e999, 'empty')
ON CONFLICT (run_id, partition, lane_id) DO NOTHING

-- name: get_head
SELECT id FROM heads WHERE run_id = :run_id AND partition = :partition AND lane_id = :lane_id

-- name: join_lane
INSERT INTO heads (run_id, partition, lane_id, best, wake_at, asleep)
SELECT id, '', :lane_id, 1, 9e999, 'empty' FROM limiting_runs WHERE id = :run_id
ON CONFLICT (run_id, partition, lane_id) DO NOTHING

-- name: is_on_lane
SELECT 1 FROM heads WHERE lane_id = ? AND run_id = ?

-- name: wake_heads
UPDATE heads
SET best = max(best, :best),
    wake_at = iif(asleep = 'empty', 0, wake_at),
    asleep = iif(asleep = 'empty', '', asleep)
WHERE id = :head_id AND (best < :best OR asleep = 'empty')

-- name: wake_full_lane
UPDATE heads SET wake_at = 0, asleep = '' WHERE lane_id = ? AND asleep = 'full'

-- name: wake_lane
UPDATE heads SET wake_at = 0, asleep = '' WHERE lane_id = :lane_id AND asleep NOT IN ('', 'empty')

-- name: wake_lanes_of_run
-- A run's lane limits have changed: wake the other heads on its lanes.
UPDATE heads SET wake_at = 0, asleep = ''
WHERE asleep IN ('paced', 'full')
  AND lane_id IN (SELECT lane_id FROM heads WHERE run_id = :run_id AND lane_id <> 0)
  AND EXISTS (
      SELECT 1 FROM runs
      WHERE id = :run_id AND (lane_every_seconds > 0 OR lane_in_flight IS NOT NULL)
  )
  AND EXISTS (SELECT 1 FROM runs WHERE id <> :run_id AND state = 'open')

-- name: wake_run
UPDATE heads SET wake_at = 0, asleep = '' WHERE run_id = :run_id AND asleep NOT IN ('', 'empty')

-- name: wake_paced
UPDATE heads SET wake_at = 0, asleep = ''
WHERE run_id = :run_id AND wake_at > :now AND asleep IN ('paced', 'full')

-- name: sleep_head
UPDATE heads SET wake_at = ?, asleep = ? WHERE id = ?

-- name: best_ready
SELECT max(priority) FROM ready WHERE head_id = ?

-- name: lower_best
UPDATE heads SET best = ? WHERE id = ?

-- name: empty_head
UPDATE heads SET wake_at = 9e999, asleep = 'empty' WHERE id = ?

-- name: shift_heads
UPDATE heads SET wake_at = max(wake_at + ?, 0) WHERE wake_at > 0
