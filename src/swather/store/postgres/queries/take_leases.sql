-- By the fence, row by row (OFFSET 0), as the plan is kept while the table grows; a lease's token never
-- changes, so that what is deleted is what was found.
DELETE FROM swather.leases
WHERE task_id = ANY(ARRAY(
    SELECT l.task_id
    FROM unnest(%(tasks)b::bigint[], %(tokens)b::bigint[]) AS f (task_id, token)
    CROSS JOIN LATERAL (
        SELECT task_id FROM swather.leases
        WHERE task_id = f.task_id AND token = f.token
        OFFSET 0
    ) AS l
))
RETURNING task_id, token, worker_id, run_id, head_id, priority, replaces, lane_id,
          (SELECT value FROM swather.settings WHERE name = 'event_level')
