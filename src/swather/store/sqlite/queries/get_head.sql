SELECT id FROM heads WHERE run_id = :run_id AND partition = :partition AND lane_id = :lane_id
