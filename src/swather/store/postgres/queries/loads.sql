-- Loads: which sets of targets belong to a run, and which are complete.

-- name: begin_load
INSERT INTO swather.loads (run_id, source, content, name)
VALUES (%(run_id)s, %(source)s, %(content)s, %(name)s)
ON CONFLICT DO NOTHING

-- name: complete_load
UPDATE swather.loads SET complete = true
WHERE run_id = %(run_id)s AND source = %(source)s AND content = %(content)s

-- name: replace_loads
DELETE FROM swather.loads
WHERE run_id = %(run_id)s AND source = %(source)s AND content <> %(content)s

-- name: incomplete_loads
SELECT name FROM swather.loads WHERE run_id = %(run_id)s AND NOT complete ORDER BY name
