WITH gone AS (
    DELETE FROM swather.outcomes WHERE task_id = ANY(%(tasks)b::bigint[])
    RETURNING task_id, run_id, state, reason
),
forgiven AS (
    INSERT INTO swather.faults (task_id, run_id, token, replaces, at)
    SELECT task_id, run_id, 0, true, (SELECT swather.clock()) FROM gone
    ON CONFLICT (task_id) DO UPDATE SET
        attempts = 0, blocked = 0, proxy = 0, crashes = 0, crashes_alone = 0, replaces = true
),
begun AS (
    DELETE FROM swather.checkpoints WHERE task_id IN (SELECT task_id FROM gone)
),
known AS MATERIALIZED (
    SELECT t.head_id, t.priority, t.id
    FROM gone AS g
    CROSS JOIN LATERAL (
        SELECT id, head_id, priority FROM swather.tasks WHERE id = g.task_id OFFSET 0
    ) AS t
    ORDER BY t.id
),
added AS (
    INSERT INTO swather.ready (head_id, priority, task_id) SELECT * FROM known
),
counted AS (
    INSERT INTO swather.counters (run_id, name, n)
    SELECT run_id, state, -count(*) FROM gone GROUP BY run_id, state
    UNION ALL
    SELECT run_id, 'reason:' || reason, -count(*) FROM gone GROUP BY run_id, reason
    UNION ALL
    SELECT run_id, 'ready', count(*) FROM gone GROUP BY run_id
)
SELECT head_id, priority, id FROM known
