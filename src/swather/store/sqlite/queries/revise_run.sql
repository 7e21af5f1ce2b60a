UPDATE runs
SET version = :version,
    lane_every_seconds = :every_seconds, lane_burst = :burst, lane_in_flight = :in_flight,
    rate_is_default = :rate_is_default
WHERE id = :run_id
