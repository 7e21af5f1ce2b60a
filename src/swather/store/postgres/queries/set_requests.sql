INSERT INTO swather.requests (lane_id, worker_id, n)
SELECT %(lane_id)s, id, %(n)s FROM swather.workers WHERE id = %(worker_id)s AND state = 'live'
ON CONFLICT (lane_id, worker_id) DO UPDATE SET n = excluded.n
