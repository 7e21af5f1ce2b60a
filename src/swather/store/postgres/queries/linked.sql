DELETE FROM swather.unlinked AS u
USING unnest(%(tasks)b::bigint[], %(parts)b::integer[]) AS l (task_id, part)
WHERE u.task_id = l.task_id AND u.part = l.part
