-- Supervisors: registered, beating, ended, and what people want of them.

-- name: register_supervisor
INSERT INTO supervisors (
    name, placement, host, boot_id, namespace, pid, started, lease_seconds, expires_mono, wanted,
    minimum, maximum, command, log_folder, registered_at, beat_at
)
VALUES (
    :name, :placement, :host, :boot_id, :namespace, :pid, :started, :lease_seconds, :expires_mono,
    :wanted, :minimum, :maximum, :command, :log_folder, :now, :now
)
RETURNING id

-- name: give_up_supervisor
UPDATE supervisors SET state = 'lost' WHERE id = :supervisor_id

-- name: beat_supervisor
UPDATE supervisors
SET beat_at = :now, expires_mono = :now_mono + lease_seconds, said = coalesce(:said, said)
WHERE id = :supervisor_id AND state = 'live'
RETURNING wanted, minimum, maximum, restarts, stops, (SELECT version FROM control)

-- name: retire_supervisor
UPDATE supervisors SET state = 'retired', beat_at = :now, said = coalesce(:said, said)
WHERE id = :supervisor_id AND state = 'live'

-- name: set_wanted
UPDATE supervisors SET wanted = :wanted WHERE id = :supervisor_id AND state = 'live'

-- name: set_bounds
UPDATE supervisors SET minimum = :minimum, maximum = :maximum
WHERE id = :supervisor_id AND state = 'live'

-- name: ask_restart
UPDATE supervisors SET restarts = restarts + 1 WHERE id = :supervisor_id AND state = 'live'

-- name: ask_stop
UPDATE supervisors SET stops = max(stops, :stops) WHERE id = :supervisor_id AND state = 'live'

-- name: supervisor_rows
SELECT id, name, placement, state, host, boot_id, namespace, pid, started, lease_seconds, wanted,
       minimum, maximum, restarts, stops, command, log_folder, said, registered_at, beat_at,
       expires_mono
FROM supervisors

-- name: get_supervisor
-- include: supervisor_rows
WHERE id = :supervisor_id

-- name: supervisors_named
-- include: supervisor_rows
WHERE name = :name AND state = 'live'

-- name: list_supervisors
-- include: supervisor_rows
ORDER BY id DESC LIMIT :limit
