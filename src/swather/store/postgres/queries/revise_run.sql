UPDATE swather.runs
SET version = %(version)s,
    lane_every_seconds = %(every_seconds)s, lane_burst = %(burst)s, lane_in_flight = %(in_flight)s,
    rate_is_default = %(rate_is_default)s
WHERE id = %(run_id)s
