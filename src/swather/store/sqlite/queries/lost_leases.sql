SELECT task_id, token, worker_id, run_id, head_id, priority, replaces, lane_id
FROM leases
WHERE worker_id IN (SELECT value FROM json_each(:workers))
UNION ALL
SELECT l.task_id, l.token, l.worker_id, l.run_id, l.head_id, l.priority, l.replaces, l.lane_id
FROM (
    WITH RECURSIVE holders (worker_id) AS (
        SELECT min(worker_id) FROM leases
        UNION ALL
        SELECT (SELECT min(worker_id) FROM leases WHERE worker_id > holders.worker_id)
        FROM holders
        WHERE holders.worker_id IS NOT NULL
    )
    SELECT worker_id FROM holders
    WHERE NOT EXISTS (SELECT 1 FROM workers WHERE id = holders.worker_id AND state = 'live')
      AND worker_id NOT IN (SELECT value FROM json_each(:workers))
) AS gone
JOIN leases AS l ON l.worker_id = gone.worker_id
