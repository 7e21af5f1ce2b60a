INSERT INTO requests (lane_id, worker_id, n)
SELECT :lane_id, id, :n FROM workers WHERE id = :worker_id AND state = 'live'
ON CONFLICT (lane_id, worker_id) DO UPDATE SET n = excluded.n
