INSERT INTO loads (run_id, source, content, name) VALUES (:run_id, :source, :content, :name)
ON CONFLICT DO NOTHING
