UPDATE lanes SET set_every_seconds = :every_seconds, set_burst = :burst, in_flight = :in_flight
WHERE id = :lane_id
