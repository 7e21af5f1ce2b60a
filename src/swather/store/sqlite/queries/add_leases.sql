INSERT INTO leases (
    task_id, token, worker_id, run_id, head_id, lane_id, priority, replaces, claimed_at
)
SELECT task_id, ?5, ?6, ?7, head_id, ?8, priority, 0, ?9
FROM ready
WHERE head_id = ?1 AND priority = ?2 AND task_id BETWEEN ?3 AND ?4
