UPDATE swather.workers
SET cool_until = greatest(cool_until, swather.clock() + %(seconds)s * interval '1 second')
WHERE id = %(worker_id)s
RETURNING id
