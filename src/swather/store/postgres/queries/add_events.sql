INSERT INTO swather.events (kind, run_id, task_id, worker_id, message, data, at)
SELECT e.*, (SELECT swather.clock())
FROM unnest(
    %(kind)b::text[], %(run_id)b::bigint[], %(task_id)b::bigint[], %(worker_id)b::bigint[],
    %(message)b::text[], %(data)b::text[]
) AS e
