SELECT id, at, kind, task_id, worker_id, message, data
FROM swather.events
WHERE run_id = %(run_id)s AND id > %(after_id)s
ORDER BY id
LIMIT %(limit)s
