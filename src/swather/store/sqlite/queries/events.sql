-- The event log.

-- name: add_events
INSERT INTO events (kind, run_id, task_id, worker_id, message, data, at) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: log_created
INSERT INTO events (at, kind, run_id, task_id)
SELECT created_at, 'created', run_id, id FROM tasks WHERE id > :before

-- name: log_claimed
INSERT INTO events (at, kind, run_id, task_id, worker_id)
VALUES (?, 'claimed', ?, ?, ?)

-- name: log_started
INSERT INTO events (at, kind, run_id, task_id, worker_id)
SELECT ?, 'started', run_id, task_id, worker_id FROM leases WHERE task_id = ? AND token = ?

-- name: log_cancelled
INSERT INTO events (at, kind, run_id, task_id) VALUES (?, 'cancelled', ?, ?)

-- name: events
SELECT id, at, kind, task_id, worker_id, message, data
FROM events
WHERE run_id = :run_id AND id > :after_id
ORDER BY id
LIMIT :limit

-- name: newest_events
SELECT id, at, kind, task_id, worker_id, message, data
FROM events
WHERE run_id = :run_id AND id < :before_id
ORDER BY id DESC
LIMIT :limit

-- name: events_of_task
SELECT id, at, kind, task_id, worker_id, message, data
FROM events
WHERE task_id = :task_id AND run_id = :run_id AND id > :after_id
ORDER BY id
LIMIT :limit

-- name: events_of_worker
SELECT id, at, kind, task_id, worker_id, message, data
FROM events
WHERE worker_id = :worker_id AND run_id = :run_id AND id > :after_id
ORDER BY id
LIMIT :limit

-- name: events_of_task_and_worker
SELECT id, at, kind, task_id, worker_id, message, data
FROM events
WHERE task_id = :task_id AND worker_id = :worker_id AND run_id = :run_id AND id > :after_id
ORDER BY id
LIMIT :limit
