SELECT task_id, token FROM swather.leases WHERE worker_id = %(worker_id)s
