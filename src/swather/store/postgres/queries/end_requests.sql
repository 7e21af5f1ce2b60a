DELETE FROM swather.requests AS q
WHERE NOT EXISTS (SELECT FROM swather.workers AS w WHERE w.id = q.worker_id AND w.state = 'live')
RETURNING q.lane_id
