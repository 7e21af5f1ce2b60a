UPDATE swather.lanes
SET every_seconds = %(every_seconds)s, burst = %(burst)s, in_flight = %(in_flight)s
WHERE id = %(lane_id)s
