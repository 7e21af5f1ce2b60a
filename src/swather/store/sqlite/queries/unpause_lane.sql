UPDATE lanes SET paused = 0, cool_until = NULL, cool_reason = '' WHERE id = :lane_id
