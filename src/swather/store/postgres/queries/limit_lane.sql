UPDATE swather.lanes
SET set_every_seconds = %(every_seconds)s, set_burst = %(burst)s, in_flight = %(in_flight)s
WHERE id = %(lane_id)s
