UPDATE swather.leases SET replaces = false WHERE task_id = %(task_id)s
