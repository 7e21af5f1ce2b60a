INSERT INTO heads (run_id, partition, lane_id, best, wake_at, asleep)
SELECT id, '', :lane_id, 1, 9e999, 'empty' FROM limiting_runs WHERE id = :run_id
ON CONFLICT (run_id, partition, lane_id) DO NOTHING
