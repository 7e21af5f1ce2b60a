UPDATE swather.lanes
SET learned_every_seconds = %(every_seconds)s, learned_at = swather.clock()
WHERE id = %(lane_id)s
