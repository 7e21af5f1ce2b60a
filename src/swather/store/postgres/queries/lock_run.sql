-- Against settle, cancel and remove, which lock the row for update; others may add meanwhile.
SELECT state, priorities, task_limit FROM swather.runs WHERE id = %(run_id)s FOR KEY SHARE
