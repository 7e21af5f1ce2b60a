SELECT i.id, h.run_id, h.key, min(h.task_id), h.part, h.seq
FROM items AS i
JOIN item_heirs AS h ON h.run_id = i.run_id AND h.key = i.key AND h.task_id <> i.task_id
WHERE i.task_id = ?
GROUP BY i.id
