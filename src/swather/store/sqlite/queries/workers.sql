-- Workers and producers: registered, beating, lost; which runs they serve.

-- name: register_worker
INSERT INTO workers (
    name, kind, run_id, host, boot_id, namespace, pid, started, lease_seconds, expires_mono,
    strategy, version, number, registered_at, beat_at
)
VALUES (
    '', :kind, :run_id, :host, :boot_id, :namespace, :pid, :started, :lease_seconds, :expires_mono,
    :strategy, :version, :number, :now, :now
)
RETURNING id

-- name: name_worker
UPDATE workers SET name = ? WHERE id = ?

-- name: beat
UPDATE workers
SET beat_at = :now,
    expires_mono = :now_mono + lease_seconds,
    statistics = coalesce(:statistics, statistics)
WHERE id = :worker_id AND state = 'live'
RETURNING leaving

-- name: tell
UPDATE workers SET beat_at = :now, statistics = :statistics
WHERE id = :worker_id AND state = 'live'

-- name: retire_worker
UPDATE workers SET state = 'retired' WHERE id = :worker_id AND state = 'live' RETURNING id

-- name: is_live
SELECT 1 FROM workers WHERE id = ? AND state = 'live'

-- name: worker_rows
SELECT w.id, w.name, w.kind, w.state, r.name, w.host, w.boot_id, w.namespace, w.pid, w.started,
       w.lease_seconds, w.strategy, w.version, w.number, w.paused, w.leaving, w.registered_at, w.beat_at,
       w.statistics, (SELECT count(*) FROM leases WHERE worker_id = w.id)
FROM workers AS w
LEFT JOIN runs AS r ON r.id = w.run_id

-- name: get_worker
-- include: worker_rows
WHERE w.id = :worker_id

-- name: list_workers
-- include: worker_rows
ORDER BY w.id DESC LIMIT :limit

-- name: list_live_workers
-- include: worker_rows
WHERE w.state = 'live' ORDER BY w.id LIMIT :limit

-- name: list_workers_beside
-- include: worker_rows
WHERE w.state = 'live' AND w.kind = 'worker' AND w.host = :host AND w.boot_id = :boot_id
  AND w.namespace = :namespace
ORDER BY w.id

-- name: live_workers
SELECT id, name, host, boot_id, namespace, pid, started, expires_mono
FROM workers
WHERE state = 'live'

-- name: give_up_worker
UPDATE workers SET state = 'lost' WHERE id = ?

-- name: pause_worker
UPDATE workers SET paused = 1 WHERE id = :worker_id AND state = 'live'
RETURNING paused, leaving

-- name: unpause_worker
UPDATE workers SET paused = leaving IS NOT NULL WHERE id = :worker_id AND state = 'live'
RETURNING paused, leaving

-- name: leave_worker
UPDATE workers
SET paused = 1, leaving = CASE leaving WHEN 'stop' THEN leaving ELSE :how END
WHERE id = :worker_id AND state = 'live'
RETURNING paused, leaving

-- name: serve_run
INSERT OR IGNORE INTO serving (run_id, worker_id) VALUES (?, ?)

-- name: stop_serving
DELETE FROM serving WHERE worker_id = ? RETURNING run_id
