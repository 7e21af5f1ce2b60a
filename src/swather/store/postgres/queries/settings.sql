-- Settings, and the version by which workers notice changes.

-- name: set_setting
INSERT INTO swather.settings (name, value) VALUES (%(name)s, %(value)s)
ON CONFLICT (name) DO UPDATE SET value = excluded.value
