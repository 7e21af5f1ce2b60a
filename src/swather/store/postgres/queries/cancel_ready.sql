DELETE FROM swather.ready AS r
USING unnest(%(tasks)b::bigint[]) AS i (id)
JOIN swather.tasks AS t ON t.id = i.id
WHERE r.head_id = t.head_id AND r.priority = t.priority AND r.task_id = t.id
RETURNING r.task_id
