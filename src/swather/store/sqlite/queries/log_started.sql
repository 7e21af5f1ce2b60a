INSERT INTO events (at, kind, run_id, task_id, worker_id)
SELECT ?, 'started', run_id, task_id, worker_id FROM leases WHERE task_id = ? AND token = ?
