INSERT INTO swather.outcomes (task_id, run_id, token, state, reason, worker_id, at)
SELECT o.*, (SELECT swather.clock())
FROM unnest(
    %(task_id)b::bigint[], %(run_id)b::bigint[], %(token)b::bigint[], %(state)b::text[],
    %(reason)b::text[], %(worker_id)b::bigint[]
) AS o
