INSERT INTO scheduled (task_id, run_id, head_id, priority, due_at)
SELECT id, run_id, head_id, priority, due_at FROM tasks WHERE id > :before AND due_at IS NOT NULL
