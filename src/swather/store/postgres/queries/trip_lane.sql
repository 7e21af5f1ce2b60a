UPDATE swather.lanes SET tripped = true WHERE id = %(lane_id)s AND NOT tripped
