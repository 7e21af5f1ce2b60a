UPDATE lanes SET tripped = EXISTS (SELECT 1 FROM breakers WHERE lane_id = :lane_id)
WHERE id = :lane_id
