INSERT INTO allowed_hosts (run_id, host, port) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
