SELECT i.id, i.task_id, i.part, i.seq, i.key, i.data, 0
FROM items AS i
WHERE i.run_id = :run_id AND i.id > :after
  AND EXISTS (SELECT 1 FROM outcomes WHERE task_id = i.task_id AND state = 'completed')
ORDER BY i.id
LIMIT :limit
