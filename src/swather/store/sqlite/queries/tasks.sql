-- Tasks: added, read, made ready, cancelled, retried.

-- name: last_task
SELECT coalesce(max(id), 0) FROM tasks

-- name: add_tasks
INSERT INTO tasks (run_id, head_id, priority, key, target, parent_id, due_at, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run_id, key) DO NOTHING

-- name: add_new_to_ready
INSERT INTO ready (head_id, priority, task_id)
SELECT head_id, priority, id FROM tasks WHERE id > :before AND due_at IS NULL

-- name: add_new_to_scheduled
INSERT INTO scheduled (task_id, run_id, head_id, priority, due_at)
SELECT id, run_id, head_id, priority, due_at FROM tasks WHERE id > :before AND due_at IS NOT NULL

-- name: known_key
SELECT key FROM tasks WHERE run_id = ? AND key = ?

-- name: tasks
SELECT t.id, r.name,
       CASE
           WHEN o.task_id IS NOT NULL THEN o.state
           WHEN l.task_id IS NOT NULL THEN 'leased'
           WHEN s.task_id IS NOT NULL THEN 'scheduled'
           ELSE 'ready'
       END AS state,
       o.reason, t.target, t.priority, n.name AS lane, h.partition, t.parent_id,
       coalesce(f.attempts + f.blocked + f.proxy + f.crashes_alone + f.earlier, 0)
       + (o.state IS 'completed'),
       coalesce(f.crashes, 0), w.name, s.due_at, t.created_at, o.at,
       iif(o.state IS 'completed', NULL, f.error_class),
       iif(o.state IS 'completed', NULL, f.message),
       iif(o.state IS 'completed', NULL, f.traceback),
       l.progress,
       l.claimed_at
FROM tasks AS t
JOIN runs AS r ON r.id = t.run_id
JOIN heads AS h ON h.id = t.head_id
JOIN lanes AS n ON n.id = h.lane_id
LEFT JOIN outcomes AS o ON o.task_id = t.id
LEFT JOIN leases AS l ON l.task_id = t.id
LEFT JOIN scheduled AS s ON s.task_id = t.id
LEFT JOIN faults AS f ON f.task_id = t.id
LEFT JOIN workers AS w ON w.id = coalesce(l.worker_id, o.worker_id)

-- name: get_task
-- include: tasks
WHERE t.id = ?

-- name: places_of_task
-- What a condition does not ask for is not looked up: such joins are left out.
LEFT JOIN heads AS h ON h.id = t.head_id
LEFT JOIN lanes AS n ON n.id = h.lane_id
LEFT JOIN outcomes AS o ON o.task_id = t.id
LEFT JOIN leases AS l ON l.task_id = t.id
LEFT JOIN scheduled AS s ON s.task_id = t.id
LEFT JOIN faults AS f ON f.task_id = t.id

-- name: ready_page
SELECT r.task_id
FROM heads AS h
CROSS JOIN json_each(:priorities) AS p
CROSS JOIN ready AS r ON r.head_id = h.id AND r.priority = p.value AND r.task_id IN (
    SELECT x.task_id FROM ready AS x
    WHERE x.head_id = h.id AND x.priority = p.value
      AND x.task_id > :after_id AND x.task_id < :before_id
    ORDER BY x.task_id LIMIT :limit
)
WHERE h.run_id = :run_id AND h.asleep <> 'empty'
ORDER BY r.task_id LIMIT :limit

-- name: newest_ready_page
SELECT r.task_id
FROM heads AS h
CROSS JOIN json_each(:priorities) AS p
CROSS JOIN ready AS r ON r.head_id = h.id AND r.priority = p.value AND r.task_id IN (
    SELECT x.task_id FROM ready AS x
    WHERE x.head_id = h.id AND x.priority = p.value
      AND x.task_id > :after_id AND x.task_id < :before_id
    ORDER BY x.task_id DESC LIMIT :limit
)
WHERE h.run_id = :run_id AND h.asleep <> 'empty'
ORDER BY r.task_id DESC LIMIT :limit

-- name: has_many_heads
SELECT count(*) >= :many FROM (SELECT 1 FROM heads WHERE run_id = :run_id LIMIT :many)

-- name: get_priorities
SELECT priorities FROM runs WHERE id = :run_id

-- name: ready_by_lane
SELECT (SELECT name FROM lanes WHERE id = h.lane_id),
       (SELECT count(*) FROM (SELECT 1 FROM ready WHERE head_id = h.id LIMIT :at_most))
FROM heads AS h INDEXED BY heads_wake
WHERE h.run_id = :run_id AND h.asleep <> 'empty'
  AND EXISTS (SELECT 1 FROM ready WHERE head_id = h.id)
LIMIT :lanes

-- name: scheduled_by_lane
SELECT (SELECT name FROM lanes WHERE id = (SELECT lane_id FROM heads WHERE id = s.head_id)), 1
FROM scheduled AS s
WHERE s.run_id = :run_id
ORDER BY s.due_at
LIMIT :limit

-- name: due_times
SELECT (SELECT min(due_at) FROM scheduled WHERE run_id = :run_id),
       (SELECT max(due_at) FROM scheduled WHERE run_id = :run_id)

-- name: tasks_to_change
SELECT t.id, t.head_id, t.priority,
       CASE
           WHEN o.task_id IS NOT NULL THEN o.state
           WHEN l.task_id IS NOT NULL THEN 'leased'
           WHEN s.task_id IS NOT NULL THEN 'scheduled'
           ELSE 'ready'
       END AS state,
       l.lane_id, o.reason
FROM tasks AS t
JOIN heads AS h ON h.id = t.head_id
JOIN lanes AS n ON n.id = h.lane_id
LEFT JOIN outcomes AS o ON o.task_id = t.id
LEFT JOIN leases AS l ON l.task_id = t.id
LEFT JOIN scheduled AS s ON s.task_id = t.id
LEFT JOIN faults AS f ON f.task_id = t.id

-- name: run_of_task
SELECT run_id FROM tasks WHERE id = ?

-- name: add_scheduled
INSERT INTO scheduled (task_id, run_id, head_id, priority, due_at) VALUES (?, ?, ?, ?, ?)

-- name: add_ready
INSERT INTO ready (head_id, priority, task_id) VALUES (?, ?, ?)

-- name: any_due
SELECT 1 FROM scheduled WHERE due_at <= ? LIMIT 1

-- name: promote_due
DELETE FROM scheduled
WHERE task_id IN (
    SELECT task_id FROM scheduled WHERE due_at <= :now ORDER BY due_at LIMIT :limit
)
RETURNING head_id, priority, task_id, run_id

-- name: cancel_scheduled
DELETE FROM scheduled WHERE task_id = ?

-- name: cancel_ready
DELETE FROM ready WHERE head_id = ? AND priority = ? AND task_id = ?

-- name: cancel_leased
DELETE FROM leases WHERE task_id = ?

-- name: tasks_to_remove
SELECT id FROM tasks WHERE run_id = :run_id LIMIT :limit

-- name: remove_ready
DELETE FROM ready
WHERE (head_id, priority, task_id) IN (
    SELECT head_id, priority, id FROM tasks WHERE id IN carray(?)
)

-- name: remove_tasks
DELETE FROM tasks WHERE id IN carray(?)
