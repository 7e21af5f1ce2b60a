-- Claim: runs, heads, and the tasks that are taken from them.

-- name: worker_hold
SELECT paused OR expires_mono <= ? OR boot_id <> ?
FROM workers
WHERE id = ? AND state = 'live'

-- name: run_candidates
SELECT r.id, r.name, r.scraper, r.version, r.strategy, r.priorities,
       r.lane_every_seconds > 0 OR r.lane_in_flight IS NOT NULL, r.scraper_lane_id,
       s.limited, s.every_seconds, s.burst, s.in_flight, s.tat, s.paused, s.cool_until
FROM runs AS r
JOIN lanes AS s ON s.id = r.scraper_lane_id

-- name: open_runs
-- include: run_candidates
WHERE r.state = 'open' AND NOT r.paused
ORDER BY r.id

-- name: open_and_paused_runs
-- include: run_candidates
WHERE r.state = 'open'
ORDER BY r.id

-- name: candidate_heads
-- In two halves, since SQLite does not see that (wake_at, id) > (?, ?) is a range of the index.
SELECT * FROM (
    SELECT h.id, h.best, h.wake_at, h.lane_id, l.name,
           l.limited, l.every_seconds, l.burst, l.in_flight, l.tat, l.paused, l.cool_until,
           l.is_public, l.overrides, l.set_every_seconds, l.tripped
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
           l.is_public, l.overrides, l.set_every_seconds, l.tripped
    FROM heads AS h
    JOIN lanes AS l ON l.id = h.lane_id
    WHERE h.run_id = ?1 AND h.partition = ?2 AND h.best = ?3 AND h.wake_at > ?5 AND h.wake_at <= ?4
    ORDER BY h.wake_at, h.id
    LIMIT ?7
)
LIMIT ?7

-- name: ready_tasks
SELECT r.head_id, r.priority, t.id, t.target, t.parent_id,
       f.attempts, f.blocked, f.proxy, f.crashes, f.crashes_alone, f.postponed,
       f.avoids, f.replaces,
       c.part, c.cursor, c.version
FROM ready AS r
JOIN tasks AS t ON t.id = r.task_id
LEFT JOIN faults AS f ON f.task_id = r.task_id
LEFT JOIN checkpoints AS c ON c.task_id = r.task_id
WHERE r.head_id = ? AND r.priority = ?

-- name: pick_oldest
-- include: ready_tasks
ORDER BY r.task_id
LIMIT ?

-- name: pick_newest
-- include: ready_tasks
ORDER BY r.task_id DESC
LIMIT ?

-- name: last_token
SELECT token FROM control

-- name: continue_tokens
UPDATE control SET token = max(token, ?), version = version + 1

-- name: next_token
UPDATE control SET token = token + 1 RETURNING token

-- name: add_leases
INSERT INTO leases (
    task_id, token, worker_id, run_id, head_id, lane_id, priority, replaces, claimed_at
)
SELECT task_id, ?5, ?6, ?7, head_id, ?8, priority, 0, ?9
FROM ready
WHERE head_id = ?1 AND priority = ?2 AND task_id BETWEEN ?3 AND ?4

-- name: take_ready
DELETE FROM ready WHERE head_id = ? AND priority = ? AND task_id BETWEEN ? AND ?

-- name: mark_leases
-- Their results replace those of an earlier completion.
UPDATE leases SET replaces = 1 WHERE task_id = ?

-- name: next_due
SELECT min(due_at) FROM scheduled WHERE run_id = ?

-- name: next_head
SELECT h.wake_at, h.lane_id,
       l.limited, l.every_seconds, l.burst, l.in_flight, l.tat, l.paused, l.cool_until,
       l.is_public, l.overrides, l.set_every_seconds, l.tripped
FROM heads AS h
JOIN lanes AS l ON l.id = h.lane_id
WHERE h.run_id = :run_id AND h.partition = :partition AND h.best = :best
  AND h.wake_at > :now AND h.wake_at < 9e999
ORDER BY h.wake_at
LIMIT 1
