DELETE FROM swather.requests WHERE lane_id = %(lane_id)s AND worker_id = %(worker_id)s
