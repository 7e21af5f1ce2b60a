UPDATE swather.lanes SET paused = true WHERE id = %(lane_id)s
