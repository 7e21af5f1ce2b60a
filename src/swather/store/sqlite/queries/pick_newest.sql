SELECT r.head_id, r.priority, t.id, t.target, t.parent_id,
       f.attempts, f.blocked, f.proxy, f.crashes, f.crashes_alone, f.replaces,
       c.part, c.cursor, c.version
FROM ready AS r
JOIN tasks AS t ON t.id = r.task_id
LEFT JOIN faults AS f ON f.task_id = r.task_id
LEFT JOIN checkpoints AS c ON c.task_id = r.task_id
WHERE r.head_id = ? AND r.priority = ?
ORDER BY r.task_id DESC
LIMIT ?
