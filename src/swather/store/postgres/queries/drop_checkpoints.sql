DELETE FROM swather.checkpoints WHERE task_id = ANY(%(tasks)b::bigint[])
