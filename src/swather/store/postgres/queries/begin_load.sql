INSERT INTO swather.loads (run_id, source, content, name)
VALUES (%(run_id)s, %(source)s, %(content)s, %(name)s)
ON CONFLICT DO NOTHING
