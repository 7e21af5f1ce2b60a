INSERT INTO heads (run_id, partition, lane_id, best, wake_at, asleep)
VALUES (:run_id, :partition, :lane_id, 1, 9e999, 'empty')
ON CONFLICT (run_id, partition, lane_id) DO NOTHING
