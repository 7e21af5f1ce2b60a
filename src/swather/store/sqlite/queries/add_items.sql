INSERT INTO items (run_id, task_id, part, seq, key, data) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
