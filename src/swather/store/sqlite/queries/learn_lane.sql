UPDATE lanes SET learned_every_seconds = :every_seconds, learned_at = :now WHERE id = :lane_id
