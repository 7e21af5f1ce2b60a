SELECT task_id, token, worker_id, run_id, head_id, priority, replaces, lane_id
FROM leases
WHERE task_id = :task_id AND token = :token
