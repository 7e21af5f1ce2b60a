INSERT INTO swather.heads (run_id, partition, lane_id, best, wake_at, asleep)
SELECT id, '', %(lane_id)s, 1, 'infinity', 'empty'
FROM swather.limiting_runs
WHERE id = %(run_id)s
ON CONFLICT (run_id, partition, lane_id) DO NOTHING
