INSERT INTO swather.counters (run_id, name, n)
SELECT t.run_id, 'stale', count(*)
FROM unnest(%(tasks)b::bigint[]) AS i (id)
CROSS JOIN LATERAL (SELECT run_id FROM swather.tasks WHERE id = i.id OFFSET 0) AS t
GROUP BY t.run_id
