UPDATE swather.workers
SET beat_at = swather.clock(),
    expires_at = swather.clock() + lease_seconds * interval '1 second',
    statistics = coalesce(%(statistics)s, statistics)
WHERE id = %(worker_id)s AND state = 'live'
RETURNING paused, (SELECT version FROM swather.control)
