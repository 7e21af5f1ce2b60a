WITH gone AS (
    DELETE FROM swather.outcomes WHERE task_id = ANY(%(tasks)b::bigint[])
    RETURNING run_id, state, reason
)
INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, state, -count(*) FROM gone GROUP BY run_id, state
UNION ALL
SELECT run_id, 'reason:' || reason, -count(*) FROM gone GROUP BY run_id, reason
