SELECT lane_every_seconds, lane_burst, lane_in_flight FROM runs WHERE id = ?
