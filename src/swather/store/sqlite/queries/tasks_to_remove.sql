SELECT id FROM tasks WHERE run_id = :run_id LIMIT :limit
