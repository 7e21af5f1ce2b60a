INSERT INTO swather.serving (run_id, worker_id)
SELECT r.id, w.id
FROM unnest(%(runs)b::bigint[]) AS r (id)
JOIN swather.workers AS w ON w.id = %(worker_id)s AND w.state = 'live'
ORDER BY r.id
ON CONFLICT DO NOTHING
