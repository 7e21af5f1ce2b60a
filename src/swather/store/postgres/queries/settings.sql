-- Settings, the version by which workers notice changes, the clock, advisory locks.

-- name: all_settings
SELECT name, value FROM swather.settings ORDER BY name

-- name: get_setting
SELECT value FROM swather.settings WHERE name = %(name)s

-- name: event_level
SELECT value FROM swather.settings WHERE name = 'event_level'

-- name: set_setting
INSERT INTO swather.settings (name, value) VALUES (%(name)s, %(value)s)
ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: unset_setting
DELETE FROM swather.settings WHERE name = %(name)s

-- name: control_version
SELECT version FROM swather.control

-- name: change_control
UPDATE swather.control SET version = version + 1

-- name: clock
SELECT swather.clock()

-- name: lock_number
-- Held until the transaction ends.
SELECT pg_advisory_xact_lock(%(number)s)
