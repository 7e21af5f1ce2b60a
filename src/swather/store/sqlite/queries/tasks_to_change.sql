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
