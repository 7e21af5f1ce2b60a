DELETE FROM scheduled
WHERE task_id IN (
    SELECT task_id FROM scheduled WHERE due_at <= :now ORDER BY due_at LIMIT :limit
)
RETURNING head_id, priority, task_id, run_id
