-- Loads: which sets of targets belong to a run, and which are complete.

-- name: begin_load
INSERT INTO loads (run_id, source, content, name) VALUES (:run_id, :source, :content, :name)
ON CONFLICT DO NOTHING

-- name: complete_load
UPDATE loads SET complete = 1
WHERE run_id = :run_id AND source = :source AND content = :content

-- name: replace_loads
DELETE FROM loads WHERE run_id = :run_id AND source = :source AND content <> :content

-- name: incomplete_loads
SELECT name FROM loads WHERE run_id = :run_id AND NOT complete ORDER BY name
