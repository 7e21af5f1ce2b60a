UPDATE lanes SET every_seconds = :every_seconds, burst = :burst, in_flight = :in_flight
WHERE id = :lane_id
