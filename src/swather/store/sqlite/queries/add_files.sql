INSERT INTO files (run_id, task_id, part, seq, name, sha256, size_bytes, media_type)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
