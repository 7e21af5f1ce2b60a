INSERT INTO ready (head_id, priority, task_id)
SELECT head_id, priority, id FROM tasks WHERE id > :before AND due_at IS NULL
