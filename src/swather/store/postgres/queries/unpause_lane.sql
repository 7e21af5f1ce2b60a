UPDATE swather.lanes SET paused = false, cool_until = NULL, cool_reason = ''
WHERE id = %(lane_id)s
