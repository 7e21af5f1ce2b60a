SELECT t.id
FROM unnest(%(tasks)b::bigint[]) AS i (id)
JOIN swather.tasks AS t ON t.id = i.id
WHERE NOT EXISTS (SELECT FROM swather.outcomes WHERE task_id = t.id)
ORDER BY t.id
