UPDATE runs
SET version = :version,
    lane_every_seconds = :every_seconds, lane_burst = :burst, lane_in_flight = :in_flight
WHERE id = :run_id
