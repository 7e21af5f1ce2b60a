SELECT id FROM swather.tasks WHERE run_id = %(run_id)s ORDER BY id LIMIT %(limit)s
