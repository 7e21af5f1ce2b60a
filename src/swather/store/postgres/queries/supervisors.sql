-- Supervisors: registered, beating, ended, and what people want of them.

-- name: register_supervisor
-- No row if another of this name has been registered meanwhile.
INSERT INTO swather.supervisors (
    name, placement, host, boot_id, namespace, pid, started, lease_seconds, expires_at, wanted,
    minimum, maximum, command, log_folder, registered_at, beat_at
)
VALUES (
    %(name)s, %(placement)s, %(host)s, %(boot_id)s, %(namespace)s, %(pid)s, %(started)s,
    %(lease_seconds)s, swather.clock() + %(lease_seconds)s * interval '1 second', %(wanted)s,
    %(minimum)s, %(maximum)s, %(command)s, %(log_folder)s, swather.clock(), swather.clock()
)
ON CONFLICT (name) WHERE state = 'live' DO NOTHING
RETURNING id

-- name: give_up_supervisor
-- One that has beaten since it was looked at is left alone.
UPDATE swather.supervisors SET state = 'lost'
WHERE id = %(supervisor_id)s AND state = 'live' AND beat_at = %(beat_at)s

-- name: beat_supervisor
UPDATE swather.supervisors
SET beat_at = swather.clock(),
    expires_at = swather.clock() + lease_seconds * interval '1 second',
    said = coalesce(%(said)s, said)
WHERE id = %(supervisor_id)s AND state = 'live'
RETURNING wanted, minimum, maximum, restarts, stops, (SELECT version FROM swather.control)

-- name: retire_supervisor
UPDATE swather.supervisors
SET state = 'retired', beat_at = swather.clock(), said = coalesce(%(said)s, said)
WHERE id = %(supervisor_id)s AND state = 'live'

-- name: set_wanted
UPDATE swather.supervisors SET wanted = %(wanted)s
WHERE id = %(supervisor_id)s AND state = 'live'
RETURNING id

-- name: set_bounds
UPDATE swather.supervisors SET minimum = %(minimum)s, maximum = %(maximum)s
WHERE id = %(supervisor_id)s AND state = 'live'
RETURNING id

-- name: ask_restart
UPDATE swather.supervisors SET restarts = restarts + 1
WHERE id = %(supervisor_id)s AND state = 'live'
RETURNING id

-- name: ask_stop
UPDATE swather.supervisors SET stops = greatest(stops, %(stops)s)
WHERE id = %(supervisor_id)s AND state = 'live'
RETURNING id

-- name: supervisor_rows
SELECT id, name, placement, state, host, boot_id, namespace, pid, started, lease_seconds, wanted,
       minimum, maximum, restarts, stops, command, log_folder, said, registered_at, beat_at,
       expires_at <= swather.clock(), extract(epoch FROM swather.clock() - beat_at)::float8
FROM swather.supervisors

-- name: get_supervisor
-- include: supervisor_rows
WHERE id = %(supervisor_id)s

-- name: supervisors_named
-- include: supervisor_rows
WHERE name = %(name)s AND state = 'live'

-- name: list_supervisors
-- include: supervisor_rows
ORDER BY id DESC LIMIT %(limit)s

-- name: prune_supervisors
-- One that lives has beaten.
WITH gone AS (
    DELETE FROM swather.supervisors
    WHERE id IN (
        SELECT id FROM swather.supervisors
        WHERE beat_at < swather.clock() - %(days)s * interval '1 day'
        LIMIT %(limit)s
    )
    RETURNING id
)
SELECT count(*) FROM gone
