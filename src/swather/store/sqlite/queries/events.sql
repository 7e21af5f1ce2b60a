-- The event log.

-- name: add_events
INSERT INTO events (kind, run_id, task_id, worker_id, message, data, at) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: log_created
INSERT INTO events (at, kind, run_id, task_id)
SELECT created_at, 'created', run_id, id FROM tasks WHERE id > :before

-- name: log_started
INSERT INTO events (at, kind, run_id, task_id, worker_id)
SELECT ?, 'started', run_id, task_id, worker_id FROM leases WHERE task_id = ? AND token = ?
