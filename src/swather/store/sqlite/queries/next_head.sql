SELECT h.wake_at, h.lane_id,
       l.limited, l.every_seconds, l.burst, l.in_flight, l.tat, l.paused, l.cool_until,
       l.is_public, l.tripped
FROM heads AS h
JOIN lanes AS l ON l.id = h.lane_id
WHERE h.run_id = :run_id AND h.partition = :partition AND h.best = :best
  AND h.wake_at > :now AND h.wake_at < 9e999
ORDER BY h.wake_at
LIMIT 1
