-- Partitions: one live owner at a time.

-- name: ensure_partition
INSERT INTO partitions (run_id, name) VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: list_partitions
SELECT p.name, p.owner_id, w.name
FROM partitions AS p
LEFT JOIN workers AS w ON w.id = p.owner_id
WHERE p.run_id = :run_id
ORDER BY p.name

-- name: owned_partitions
SELECT name FROM partitions WHERE run_id = :run_id AND owner_id = :worker_id ORDER BY name

-- name: partitions_of_run
SELECT name FROM partitions WHERE run_id = ?

-- name: partitions_of_worker
SELECT name FROM partitions WHERE run_id = ? AND owner_id = ?

-- name: take_partitions
UPDATE partitions SET owner_id = :worker_id
WHERE run_id = :run_id AND name IN (
    SELECT p.name FROM partitions AS p
    WHERE p.run_id = :run_id AND p.owner_id IS NULL
    ORDER BY (
        SELECT count(*) FROM heads AS h JOIN ready AS r ON r.head_id = h.id
        WHERE h.run_id = p.run_id AND h.partition = p.name
    ) DESC, p.name
    LIMIT :limit
)

-- name: take_named_partitions
UPDATE partitions SET owner_id = :worker_id
WHERE run_id = :run_id AND owner_id IS NULL
  AND name IN (SELECT value FROM json_each(:names))

-- name: free_partitions
UPDATE partitions SET owner_id = NULL WHERE owner_id = ?
