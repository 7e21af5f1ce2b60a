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
JOIN swather.runs AS r ON r.id = t.run_id
JOIN swather.heads AS h ON h.id = t.head_id
JOIN swather.lanes AS n ON n.id = h.lane_id
LEFT JOIN swather.outcomes AS o ON o.task_id = t.id
LEFT JOIN swather.leases AS l ON l.task_id = t.id
LEFT JOIN swather.scheduled AS s ON s.task_id = t.id
LEFT JOIN swather.faults AS f ON f.task_id = t.id
LEFT JOIN swather.workers AS w ON w.id = coalesce(l.worker_id, o.worker_id)
