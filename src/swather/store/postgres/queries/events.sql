-- The event log.

-- name: add_events
INSERT INTO swather.events (kind, run_id, task_id, worker_id, message, data, at)
SELECT e.*, (SELECT swather.clock())
FROM unnest(
    %(kind)b::text[], %(run_id)b::bigint[], %(task_id)b::bigint[], %(worker_id)b::bigint[],
    %(message)b::text[], %(data)b::text[]
) AS e

-- name: log_started
INSERT INTO swather.events (at, kind, run_id, task_id, worker_id)
SELECT swather.clock(), 'started', l.run_id, l.task_id, l.worker_id
FROM unnest(%(tasks)b::bigint[], %(tokens)b::bigint[]) AS f (task_id, token)
CROSS JOIN LATERAL (
    SELECT run_id, task_id, worker_id FROM swather.leases
    WHERE task_id = f.task_id AND token = f.token
    OFFSET 0
) AS l
WHERE (SELECT value = '"all"' FROM swather.settings WHERE name = 'event_level')

-- name: events
SELECT id, at, kind, task_id, worker_id, message, data
FROM swather.events
WHERE run_id = %(run_id)s AND id > %(after_id)s
ORDER BY id
LIMIT %(limit)s

-- name: newest_events
SELECT id, at, kind, task_id, worker_id, message, data
FROM swather.events
WHERE run_id = %(run_id)s AND id < %(before_id)s
ORDER BY id DESC
LIMIT %(limit)s

-- name: events_of_task
SELECT id, at, kind, task_id, worker_id, message, data
FROM swather.events
WHERE task_id = %(task_id)s AND run_id = %(run_id)s AND id > %(after_id)s
ORDER BY id
LIMIT %(limit)s

-- name: events_of_worker
SELECT id, at, kind, task_id, worker_id, message, data
FROM swather.events
WHERE worker_id = %(worker_id)s AND run_id = %(run_id)s AND id > %(after_id)s
ORDER BY id
LIMIT %(limit)s

-- name: events_of_task_and_worker
SELECT id, at, kind, task_id, worker_id, message, data
FROM swather.events
WHERE task_id = %(task_id)s AND worker_id = %(worker_id)s AND run_id = %(run_id)s
  AND id > %(after_id)s
ORDER BY id
LIMIT %(limit)s

-- name: prune_events
WITH gone AS (
    DELETE FROM swather.events
    WHERE id IN (
        SELECT id FROM swather.events
        WHERE at < swather.clock() - %(days)s * interval '1 day'
        ORDER BY at
        LIMIT %(limit)s
    )
    RETURNING id
)
SELECT count(*) FROM gone
