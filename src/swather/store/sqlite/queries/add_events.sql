INSERT INTO events (kind, run_id, task_id, worker_id, message, data, at) VALUES (?, ?, ?, ?, ?, ?, ?)
