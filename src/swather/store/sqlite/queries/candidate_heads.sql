-- In two halves, since SQLite does not see that (wake_at, id) > (?, ?) is a range of the index.
SELECT * FROM (
    SELECT h.id, h.best, h.wake_at, h.lane_id, l.name,
           l.limited, l.every_seconds, l.burst, l.in_flight, l.tat, l.paused, l.cool_until,
           l.is_public, l.tripped
    FROM heads AS h
    JOIN lanes AS l ON l.id = h.lane_id
    WHERE h.run_id = ?1 AND h.partition = ?2 AND h.best = ?3 AND h.wake_at = ?5 AND h.id > ?6
    ORDER BY h.id
    LIMIT ?7
)
UNION ALL
SELECT * FROM (
    SELECT h.id, h.best, h.wake_at, h.lane_id, l.name,
           l.limited, l.every_seconds, l.burst, l.in_flight, l.tat, l.paused, l.cool_until,
           l.is_public, l.tripped
    FROM heads AS h
    JOIN lanes AS l ON l.id = h.lane_id
    WHERE h.run_id = ?1 AND h.partition = ?2 AND h.best = ?3 AND h.wake_at > ?5 AND h.wake_at <= ?4
    ORDER BY h.wake_at, h.id
    LIMIT ?7
)
LIMIT ?7
