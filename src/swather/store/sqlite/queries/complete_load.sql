UPDATE loads SET complete = 1
WHERE run_id = :run_id AND source = :source AND content = :content
