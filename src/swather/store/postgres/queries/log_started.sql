INSERT INTO swather.events (at, kind, run_id, task_id, worker_id)
SELECT swather.clock(), 'started', l.run_id, l.task_id, l.worker_id
FROM unnest(%(tasks)b::bigint[], %(tokens)b::bigint[]) AS f (task_id, token)
CROSS JOIN LATERAL (
    SELECT run_id, task_id, worker_id FROM swather.leases
    WHERE task_id = f.task_id AND token = f.token
    OFFSET 0
) AS l
WHERE (SELECT value = '"all"' FROM swather.settings WHERE name = 'event_level')
