INSERT INTO scheduled (task_id, run_id, head_id, priority, due_at) VALUES (?, ?, ?, ?, ?)
