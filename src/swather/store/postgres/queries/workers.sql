-- Workers and producers: registered, beating, lost; which runs they serve.

-- name: register_worker
WITH next AS MATERIALIZED (SELECT nextval('swather.workers_id_seq') AS id)
INSERT INTO swather.workers (
    id, name, kind, run_id, host, boot_id, namespace, pid, started, lease_seconds, expires_at,
    strategy, version, number, registered_at, beat_at
)
SELECT id, coalesce(%(name)s, %(stem)s || '_' || id), %(kind)s, %(run_id)s, %(host)s, %(boot_id)s,
       %(namespace)s, %(pid)s, %(started)s, %(lease_seconds)s,
       swather.clock() + %(lease_seconds)s * interval '1 second', %(strategy)s, %(version)s,
       %(number)s, swather.clock(), swather.clock()
FROM next
RETURNING id

-- name: beat
UPDATE swather.workers
SET beat_at = swather.clock(),
    expires_at = swather.clock() + lease_seconds * interval '1 second',
    statistics = coalesce(%(statistics)s, statistics)
WHERE id = %(worker_id)s AND state = 'live'
RETURNING (SELECT version FROM swather.control), leaving

-- name: tell
UPDATE swather.workers SET beat_at = swather.clock(), statistics = %(statistics)s
WHERE id = %(worker_id)s AND state = 'live'

-- name: retire_worker
UPDATE swather.workers SET state = 'retired'
WHERE id = %(worker_id)s AND state = 'live'
RETURNING id

-- name: lock_live_worker
SELECT id FROM swather.workers WHERE id = %(worker_id)s AND state = 'live' FOR SHARE

-- name: worker_rows
SELECT w.id, w.name, w.kind, w.state, r.name, w.host, w.boot_id, w.namespace, w.pid, w.started,
       w.lease_seconds, w.strategy, w.version, w.number, w.paused, w.leaving, w.registered_at, w.beat_at,
       w.statistics, (SELECT count(*) FROM swather.leases WHERE worker_id = w.id),
       extract(epoch FROM swather.clock() - w.beat_at)::float8
FROM swather.workers AS w
LEFT JOIN swather.runs AS r ON r.id = w.run_id

-- name: get_worker
-- include: worker_rows
WHERE w.id = %(worker_id)s

-- name: list_workers
-- include: worker_rows
ORDER BY w.id DESC LIMIT %(limit)s

-- name: list_live_workers
-- include: worker_rows
WHERE w.state = 'live'
ORDER BY w.id DESC LIMIT %(limit)s

-- name: list_workers_beside
-- include: worker_rows
WHERE w.state = 'live' AND w.kind = 'worker' AND w.host = %(host)s AND w.boot_id = %(boot_id)s
  AND w.namespace = %(namespace)s
ORDER BY w.id

-- name: live_workers
SELECT id, host, boot_id, namespace, pid, started, expires_at <= swather.clock()
FROM swather.workers
WHERE state = 'live'

-- name: give_up_workers
-- A worker that has beaten meanwhile is left alone.
UPDATE swather.workers AS w
SET state = 'lost'
FROM (
    SELECT id FROM swather.workers
    WHERE id = ANY(%(workers)b::bigint[]) AND state = 'live'
      AND (expires_at <= swather.clock() OR id = ANY(%(dead)b::bigint[]))
    ORDER BY id
    FOR NO KEY UPDATE
) AS l
WHERE w.id = l.id
RETURNING w.id, w.name

-- name: prune_workers
WITH gone AS (
    DELETE FROM swather.workers
    WHERE id IN (
        SELECT id FROM swather.workers
        WHERE state <> 'live' AND beat_at < swather.clock() - %(days)s * interval '1 day'
        LIMIT %(limit)s
    )
    RETURNING id
)
SELECT count(*) FROM gone

-- name: pause_worker
UPDATE swather.workers SET paused = true
WHERE id = %(worker_id)s AND state = 'live'
RETURNING paused, leaving

-- name: unpause_worker
UPDATE swather.workers SET paused = leaving IS NOT NULL
WHERE id = %(worker_id)s AND state = 'live'
RETURNING paused, leaving

-- name: leave_worker
UPDATE swather.workers
SET paused = true, leaving = CASE leaving WHEN 'stop' THEN leaving ELSE %(how)s END
WHERE id = %(worker_id)s AND state = 'live'
RETURNING paused, leaving

-- name: serve_runs
INSERT INTO swather.serving (run_id, worker_id)
SELECT r.id, w.id
FROM unnest(%(runs)b::bigint[]) AS r (id)
JOIN swather.workers AS w ON w.id = %(worker_id)s AND w.state = 'live'
ORDER BY r.id
ON CONFLICT DO NOTHING

-- name: stop_serving
DELETE FROM swather.serving AS s
WHERE NOT EXISTS (SELECT FROM swather.workers AS w WHERE w.id = s.worker_id AND w.state = 'live')
RETURNING s.run_id

-- name: send_hint
-- A NOTIFY is a commit; what may be lost need not wait for the disk.
SELECT set_config('synchronous_commit', 'off', true), pg_notify(%(channel)s, '')
