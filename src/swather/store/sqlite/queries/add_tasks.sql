INSERT INTO tasks (run_id, head_id, priority, key, target, parent_id, due_at, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run_id, key) DO NOTHING
