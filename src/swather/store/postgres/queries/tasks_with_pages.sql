SELECT DISTINCT task_id FROM swather.pages
WHERE run_id = %(run_id)s AND task_id > %(after_id)s
ORDER BY task_id
LIMIT %(limit)s
