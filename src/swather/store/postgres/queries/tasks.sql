-- Rows are looked up one by one (OFFSET 0): what the planner believes of a table may be long past.
SELECT t.id, r.name,
       CASE
           WHEN o.task_id IS NOT NULL THEN o.state
           WHEN l.task_id IS NOT NULL THEN 'leased'
           WHEN s.task_id IS NOT NULL THEN 'scheduled'
           ELSE 'ready'
       END,
       o.reason, t.target, t.priority, n.name, h.partition, t.parent_id,
       coalesce(f.attempts, 0), coalesce(f.crashes, 0), w.name, s.due_at, t.created_at, o.at,
       f.error_class, f.message, f.traceback, l.progress
FROM swather.tasks AS t
CROSS JOIN LATERAL (SELECT name FROM swather.runs WHERE id = t.run_id OFFSET 0) AS r
CROSS JOIN LATERAL (
    SELECT partition, lane_id FROM swather.heads WHERE id = t.head_id OFFSET 0
) AS h
CROSS JOIN LATERAL (SELECT name FROM swather.lanes WHERE id = h.lane_id OFFSET 0) AS n
LEFT JOIN LATERAL (SELECT * FROM swather.outcomes WHERE task_id = t.id OFFSET 0) AS o ON true
LEFT JOIN LATERAL (SELECT * FROM swather.leases WHERE task_id = t.id OFFSET 0) AS l ON true
LEFT JOIN LATERAL (SELECT * FROM swather.scheduled WHERE task_id = t.id OFFSET 0) AS s ON true
LEFT JOIN LATERAL (SELECT * FROM swather.faults WHERE task_id = t.id OFFSET 0) AS f ON true
LEFT JOIN LATERAL (
    SELECT name FROM swather.workers WHERE id = coalesce(l.worker_id, o.worker_id) OFFSET 0
) AS w ON true
