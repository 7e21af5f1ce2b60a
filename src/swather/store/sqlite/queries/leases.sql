-- Leases: looked up and ended by their fence, progress and checkpoints of their tasks.

-- name: held_lease
SELECT task_id, token, worker_id, run_id, head_id, priority, replaces, lane_id
FROM leases
WHERE task_id = :task_id AND token = :token

-- name: held_leases
SELECT task_id, token, worker_id, run_id, head_id, priority, replaces, lane_id
FROM leases
WHERE token = ?1 AND task_id IN carray(?2)

-- name: fence
DELETE FROM leases WHERE token = ?1 AND task_id IN carray(?2)

-- name: worker_leases
SELECT task_id, token FROM leases WHERE worker_id = ?

-- name: standing
SELECT CASE
    WHEN EXISTS (SELECT 1 FROM leases WHERE task_id = :task_id AND token = :token)
        THEN 'pending'
    WHEN EXISTS (SELECT 1 FROM outcomes WHERE task_id = :task_id AND token = :token)
        OR EXISTS (SELECT 1 FROM faults WHERE task_id = :task_id AND token = :token)
        THEN 'committed'
    ELSE 'superseded'
END

-- name: keep_lease
UPDATE leases SET replaces = 0 WHERE task_id = ?

-- name: save_progress
UPDATE leases SET progress = :progress WHERE task_id = :task_id AND token = :token

-- name: save_checkpoint
INSERT INTO checkpoints (task_id, run_id, part, cursor, version, at)
SELECT :task_id, :run_id, :part, :cursor, version, :now FROM runs WHERE id = :run_id
ON CONFLICT (task_id) DO UPDATE SET
    part = excluded.part, cursor = excluded.cursor, version = excluded.version, at = excluded.at

-- name: next_part
SELECT part FROM checkpoints WHERE task_id = ?

-- name: drop_checkpoints
DELETE FROM checkpoints WHERE task_id = ?

-- name: lost_leases
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

-- name: drop_leases
DELETE FROM leases WHERE task_id IN (SELECT value FROM json_each(?))
