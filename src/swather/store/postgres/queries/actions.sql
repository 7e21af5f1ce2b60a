-- Actions: begun, advanced, ended, read.

-- name: begin_action
INSERT INTO swather.actions (
    at, actor, verb, subject, detail, total, beat_at, host, boot_id, namespace, pid, started
)
VALUES (
    swather.clock(), %(actor)s, %(verb)s, %(subject)s, %(detail)s, %(total)s, swather.clock(),
    %(host)s, %(boot_id)s, %(namespace)s, %(pid)s, %(started)s
)
RETURNING id

-- name: advance_action
UPDATE swather.actions SET done = %(done)s, beat_at = swather.clock()
WHERE id = %(action_id)s AND state = 'running'

-- name: end_action
UPDATE swather.actions
SET state = %(state)s, done = coalesce(%(done)s::bigint, done), error = %(error)s,
    ended_at = swather.clock(), beat_at = swather.clock()
WHERE id = %(action_id)s AND state = 'running'

-- name: action_rows
SELECT id, at, actor, verb, subject, detail, state, done, total, error, ended_at,
       extract(epoch FROM swather.clock() - beat_at)::float8, host, boot_id, namespace, pid, started
FROM swather.actions

-- name: get_action
-- include: action_rows
WHERE id = %(action_id)s

-- name: list_actions
-- include: action_rows
WHERE id < %(before_id)s
ORDER BY id DESC LIMIT %(limit)s

-- name: prune_actions
WITH gone AS (
    DELETE FROM swather.actions
    WHERE id IN (
        SELECT id FROM swather.actions
        WHERE at < swather.clock() - %(days)s * interval '1 day'
        LIMIT %(limit)s
    )
    RETURNING id
)
SELECT count(*) FROM gone
