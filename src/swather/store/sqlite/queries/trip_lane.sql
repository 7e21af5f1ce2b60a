UPDATE lanes SET tripped = 1 WHERE id = :lane_id AND NOT tripped
