DELETE FROM breakers WHERE lane_id = :lane_id
