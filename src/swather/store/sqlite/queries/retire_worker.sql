UPDATE workers SET state = 'retired' WHERE id = :worker_id AND state = 'live' RETURNING id
