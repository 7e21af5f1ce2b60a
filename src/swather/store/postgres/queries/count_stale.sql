INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, 'stale', count(*)
FROM swather.tasks
WHERE id = ANY(%(tasks)b::bigint[])
GROUP BY run_id
