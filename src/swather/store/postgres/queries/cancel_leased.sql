DELETE FROM swather.leases WHERE task_id = ANY(%(tasks)b::bigint[])
RETURNING task_id, lane_id
