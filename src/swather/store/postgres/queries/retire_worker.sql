UPDATE swather.workers SET state = 'retired'
WHERE id = %(worker_id)s AND state = 'live'
RETURNING id
