DELETE FROM requests WHERE lane_id = :lane_id AND worker_id = :worker_id
