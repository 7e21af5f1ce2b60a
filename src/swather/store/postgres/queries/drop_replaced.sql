-- An item that another task has produced, too, goes to that task.
WITH heirs AS (
    SELECT DISTINCT ON (i.id) i.id, h.run_id, h.key, h.task_id, h.part, h.seq
    FROM swather.items AS i
    JOIN swather.item_heirs AS h ON h.run_id = i.run_id AND h.key = i.key
    WHERE i.task_id = ANY(%(tasks)b::bigint[]) AND h.task_id <> ALL(%(tasks)b::bigint[])
    ORDER BY i.id, h.task_id
),
inheriting AS (
    DELETE FROM swather.item_heirs AS h
    USING heirs
    WHERE (h.run_id, h.key, h.task_id, h.part, h.seq)
        = (heirs.run_id, heirs.key, heirs.task_id, heirs.part, heirs.seq)
    RETURNING heirs.id, h.task_id, h.part, h.seq
),
inherited AS (
    UPDATE swather.items AS i SET task_id = n.task_id, part = n.part, seq = n.seq
    FROM inheriting AS n
    WHERE i.id = n.id
),
disinherited AS (
    DELETE FROM swather.item_heirs WHERE task_id = ANY(%(tasks)b::bigint[])
),
old_items AS (
    DELETE FROM swather.items
    WHERE task_id = ANY(%(tasks)b::bigint[]) AND id NOT IN (SELECT id FROM inheriting)
    RETURNING run_id
),
old_files AS (
    DELETE FROM swather.files WHERE task_id = ANY(%(tasks)b::bigint[]) RETURNING run_id
),
old_parts AS (
    DELETE FROM swather.unlinked WHERE task_id = ANY(%(tasks)b::bigint[])
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
