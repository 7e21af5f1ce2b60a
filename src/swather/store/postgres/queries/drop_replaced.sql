WITH old_items AS (
    DELETE FROM swather.items WHERE task_id = ANY(%(tasks)b::bigint[]) RETURNING run_id
),
old_files AS (
    DELETE FROM swather.files WHERE task_id = ANY(%(tasks)b::bigint[]) RETURNING run_id
),
old_checkpoints AS (
    DELETE FROM swather.checkpoints WHERE task_id = ANY(%(tasks)b::bigint[])
),
forgotten AS (
    UPDATE swather.faults SET replaces = false WHERE task_id = ANY(%(tasks)b::bigint[])
)
INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, name, -count(*)
FROM (
    SELECT run_id, 'items' AS name FROM old_items
    UNION ALL
    SELECT run_id, 'files' FROM old_files
) AS o
GROUP BY run_id, name
