SELECT task_id, token, worker_id, run_id, head_id, priority, replaces, lane_id
FROM swather.leases
WHERE task_id = %(task_id)s AND token = %(token)s
FOR NO KEY UPDATE
