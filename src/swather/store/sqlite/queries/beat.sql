UPDATE workers
SET beat_at = :now,
    expires_mono = :now_mono + lease_seconds,
    statistics = coalesce(:statistics, statistics)
WHERE id = :worker_id AND state = 'live'
RETURNING paused
