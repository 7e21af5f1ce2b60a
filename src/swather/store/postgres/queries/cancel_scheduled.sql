DELETE FROM swather.scheduled WHERE task_id = ANY(%(tasks)b::bigint[])
RETURNING task_id
