DELETE FROM swather.leases AS l
USING unnest(%(tasks)b::bigint[], %(tokens)b::bigint[]) AS f (task_id, token)
WHERE l.task_id = f.task_id AND l.token = f.token AND l.task_id = ANY(%(tasks)b::bigint[])
RETURNING l.task_id, l.token, l.worker_id, l.run_id, l.head_id, l.priority, l.replaces, l.lane_id,
          (SELECT value FROM swather.settings WHERE name = 'event_level')
