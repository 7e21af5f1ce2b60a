-- Actions: begun, advanced, ended, read.

-- name: begin_action
INSERT INTO actions (
    at, actor, verb, subject, detail, total, beat_at, host, boot_id, namespace, pid, started
)
VALUES (
    :now, :actor, :verb, :subject, :detail, :total, :now, :host, :boot_id, :namespace, :pid,
    :started
)
RETURNING id

-- name: advance_action
UPDATE actions SET done = :done, beat_at = :now WHERE id = :action_id AND state = 'running'

-- name: end_action
UPDATE actions
SET state = :state, done = coalesce(:done, done), error = :error, ended_at = :now, beat_at = :now
WHERE id = :action_id AND state = 'running'

-- name: action_rows
SELECT id, at, actor, verb, subject, detail, state, done, total, error, ended_at, beat_at, host,
       boot_id, namespace, pid, started
FROM actions

-- name: get_action
-- include: action_rows
WHERE id = :action_id

-- name: list_actions
-- include: action_rows
WHERE id < :before_id
ORDER BY id DESC LIMIT :limit
