INSERT INTO counters (run_id, name, n) VALUES (?, ?, ?)
ON CONFLICT (run_id, name) DO UPDATE SET n = n + excluded.n
