SELECT i.id, i.task_id, i.part, i.seq, i.key, i.data,
       NOT EXISTS (SELECT 1 FROM outcomes WHERE task_id = i.task_id AND state = 'completed')
FROM items AS i
WHERE i.run_id = :run_id AND i.id > :after
ORDER BY i.id
LIMIT :limit
