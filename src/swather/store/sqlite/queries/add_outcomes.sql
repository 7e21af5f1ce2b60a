INSERT INTO outcomes (task_id, run_id, token, state, reason, worker_id, at)
SELECT value, ?2, ?3, ?4, ?5, ?6, ?7 FROM carray(?1)
