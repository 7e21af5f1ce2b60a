DELETE FROM swather.serving AS s
WHERE NOT EXISTS (SELECT FROM swather.workers AS w WHERE w.id = s.worker_id AND w.state = 'live')
RETURNING s.run_id
