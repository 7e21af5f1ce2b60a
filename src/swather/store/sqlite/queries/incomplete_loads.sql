SELECT name FROM loads WHERE run_id = :run_id AND NOT complete ORDER BY name
