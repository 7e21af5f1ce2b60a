SELECT i.id
FROM unnest(%(tasks)b::bigint[]) AS i (id)
CROSS JOIN LATERAL (SELECT FROM swather.tasks WHERE id = i.id OFFSET 0) AS t
WHERE (SELECT task_id FROM swather.outcomes WHERE task_id = i.id) IS NULL
ORDER BY i.id
