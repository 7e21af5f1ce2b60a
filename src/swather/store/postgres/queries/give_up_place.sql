UPDATE swather.leases SET lane_id = 0 WHERE task_id = %(task_id)s AND token = %(token)s
