-- Partitions: one live owner at a time.

-- name: ensure_partitions
INSERT INTO swather.partitions (run_id, name)
SELECT %(run_id)s, p.name FROM unnest(%(names)b::text[]) AS p (name) ORDER BY p.name
ON CONFLICT DO NOTHING

-- name: list_partitions
SELECT p.name, p.owner_id, w.name
FROM swather.partitions AS p
LEFT JOIN swather.workers AS w ON w.id = p.owner_id
WHERE p.run_id = %(run_id)s
ORDER BY p.name

-- name: owned_partitions
SELECT name FROM swather.partitions
WHERE run_id = %(run_id)s AND owner_id = %(worker_id)s
ORDER BY name

-- name: take_partitions
-- MATERIALIZED, or the planner might pick again for every row of the update and take too many.
WITH free AS MATERIALIZED (
    SELECT p.name
    FROM swather.partitions AS p
    WHERE p.run_id = %(run_id)s AND p.owner_id IS NULL
    ORDER BY (
        SELECT count(*)
        FROM (
            SELECT
            FROM swather.heads AS h
            JOIN swather.ready AS r ON r.head_id = h.id
            WHERE h.run_id = p.run_id AND h.partition = p.name
            LIMIT 10000
        ) AS w
    ) DESC, p.name
    LIMIT %(limit)s
    FOR UPDATE OF p SKIP LOCKED
)
UPDATE swather.partitions
SET owner_id = %(worker_id)s
WHERE run_id = %(run_id)s AND name = ANY(ARRAY(SELECT name FROM free))

-- name: take_named_partitions
UPDATE swather.partitions
SET owner_id = %(worker_id)s
WHERE run_id = %(run_id)s AND name IN (
    SELECT name FROM swather.partitions
    WHERE run_id = %(run_id)s AND owner_id IS NULL AND name = ANY(%(names)b::text[])
    ORDER BY name
    FOR UPDATE
)

-- name: free_partitions
UPDATE swather.partitions AS p
SET owner_id = NULL
WHERE owner_id IS NOT NULL
  AND NOT EXISTS (SELECT FROM swather.workers AS w WHERE w.id = p.owner_id AND w.state = 'live')
