SELECT extract(epoch FROM cool_until - swather.clock())::float8
FROM swather.workers
WHERE id = %(worker_id)s AND state = 'live' AND expires_at > swather.clock() AND NOT paused
  AND cool_until > swather.clock()
