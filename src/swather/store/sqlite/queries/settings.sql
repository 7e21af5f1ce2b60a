-- Settings, and the version by which workers notice changes.

-- name: set_setting
INSERT INTO settings (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value
