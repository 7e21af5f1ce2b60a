-- Settings, the version by which workers notice changes, and the clock.

-- name: all_settings
SELECT name, value FROM settings ORDER BY name

-- name: get_setting
SELECT value FROM settings WHERE name = ?

-- name: event_level
SELECT value FROM settings WHERE name = 'event_level'

-- name: set_setting
INSERT INTO settings (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: unset_setting
DELETE FROM settings WHERE name = ?

-- name: control_version
SELECT version FROM control

-- name: change_control
UPDATE control SET version = version + 1

-- name: wall_offset
SELECT boot_id, wall_offset_seconds FROM control

-- name: set_wall_offset
UPDATE control SET boot_id = ?, wall_offset_seconds = ?
