SELECT run_id FROM swather.tasks WHERE id = %(task_id)s
