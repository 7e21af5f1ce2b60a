INSERT INTO events (at, kind, run_id, task_id)
SELECT created_at, 'created', run_id, id FROM tasks WHERE id > :before
