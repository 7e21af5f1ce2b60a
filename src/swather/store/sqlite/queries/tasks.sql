SELECT t.id, r.name,
       CASE
           WHEN o.task_id IS NOT NULL THEN o.state
           WHEN l.task_id IS NOT NULL THEN 'leased'
           WHEN s.task_id IS NOT NULL THEN 'scheduled'
           ELSE 'ready'
       END AS state,
       o.reason, t.target, t.priority, n.name AS lane, h.partition, t.parent_id,
       coalesce(f.attempts, 0), coalesce(f.crashes, 0), w.name, s.due_at, t.created_at, o.at,
       f.error_class, f.message, f.traceback, l.progress
FROM tasks AS t
JOIN runs AS r ON r.id = t.run_id
JOIN heads AS h ON h.id = t.head_id
JOIN lanes AS n ON n.id = h.lane_id
LEFT JOIN outcomes AS o ON o.task_id = t.id
LEFT JOIN leases AS l ON l.task_id = t.id
LEFT JOIN scheduled AS s ON s.task_id = t.id
LEFT JOIN faults AS f ON f.task_id = t.id
LEFT JOIN workers AS w ON w.id = coalesce(l.worker_id, o.worker_id)
