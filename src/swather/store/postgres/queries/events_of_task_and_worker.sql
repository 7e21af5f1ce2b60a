SELECT id, at, kind, task_id, worker_id, message, data
FROM swather.events
WHERE task_id = %(task_id)s AND worker_id = %(worker_id)s AND run_id = %(run_id)s
  AND id > %(after_id)s
ORDER BY id
LIMIT %(limit)s
