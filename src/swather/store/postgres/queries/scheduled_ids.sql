SELECT task_id AS id FROM swather.scheduled
WHERE run_id = %(run_id)s AND task_id > %(after_id)s
ORDER BY task_id LIMIT %(limit)s
