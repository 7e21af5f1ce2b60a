UPDATE lanes SET learned_every_seconds = NULL, learned_at = NULL WHERE id = :lane_id
