DELETE FROM swather.pages WHERE run_id = %(run_id)s AND task_id = ANY(%(tasks)b::bigint[])
