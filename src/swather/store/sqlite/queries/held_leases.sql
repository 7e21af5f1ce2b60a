SELECT task_id, token, worker_id, run_id, head_id, priority, replaces, lane_id
FROM leases
WHERE token = ?1 AND task_id IN carray(?2)
