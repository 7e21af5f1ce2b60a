-- Partitions: one live owner at a time, and the worker numbers they are planned for.

-- name: ensure_partition
INSERT INTO partitions (run_id, name) VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: list_partitions
SELECT p.name, p.owner_id, w.name, l.number, p.leaving
FROM partitions AS p
LEFT JOIN workers AS w ON w.id = p.owner_id
LEFT JOIN partition_plans AS l ON l.run_id = p.run_id AND l.name = p.name
WHERE p.run_id = :run_id
ORDER BY p.name

-- name: count_partitions
SELECT p.name,
       (
           SELECT count(*) FROM heads AS h JOIN ready AS r ON r.head_id = h.id
           WHERE h.run_id = p.run_id AND h.partition = p.name
       ) + coalesce(s.n, 0),
       coalesce(e.n, 0)
FROM partitions AS p
LEFT JOIN (
    SELECT h.partition, count(*) AS n
    FROM scheduled AS s JOIN heads AS h ON h.id = s.head_id
    WHERE s.run_id = :run_id
    GROUP BY h.partition
) AS s ON s.partition = p.name
LEFT JOIN (
    SELECT h.partition, count(*) AS n
    FROM leases AS e JOIN heads AS h ON h.id = e.head_id
    WHERE e.run_id = :run_id
    GROUP BY h.partition
) AS e ON e.partition = p.name
WHERE p.run_id = :run_id

-- name: total_partitions
SELECT h.partition, count(*)
FROM tasks AS t JOIN heads AS h ON h.id = t.head_id
WHERE t.run_id = :run_id AND h.partition <> ''
GROUP BY h.partition

-- name: partitioned_runs
SELECT r.name
FROM runs AS r
WHERE r.state = 'open' AND r.scraper IN (SELECT value FROM json_each(:scrapers))
  AND EXISTS (SELECT 1 FROM partitions AS p WHERE p.run_id = r.id)
ORDER BY r.id

-- name: owned_partitions
SELECT name FROM partitions WHERE run_id = :run_id AND owner_id = :worker_id ORDER BY name

-- name: partitions_of_run
SELECT name FROM partitions WHERE run_id = ?

-- name: partitions_of_worker
SELECT name FROM partitions WHERE run_id = ? AND owner_id = ? AND NOT leaving

-- name: partition_plan
SELECT name, number FROM partition_plans WHERE run_id = :run_id ORDER BY name

-- name: drop_partition_plan
DELETE FROM partition_plans WHERE run_id = :run_id

-- name: add_partition_plan
INSERT INTO partition_plans (run_id, name, number)
SELECT :run_id, key, value FROM json_each(:numbers)
WHERE true
ON CONFLICT DO NOTHING

-- name: worker_number
SELECT number, paused FROM workers WHERE id = :worker_id AND state = 'live'

-- name: take_planned_partitions
UPDATE partitions SET owner_id = :worker_id
WHERE run_id = :run_id AND owner_id IS NULL
  AND name IN (SELECT name FROM partition_plans WHERE run_id = :run_id AND number = :number)

-- name: ask_back_partitions
-- Not from a worker of the same number: two fleets may share a run.
UPDATE partitions SET leaving = 1
WHERE run_id = :run_id AND owner_id <> :worker_id AND NOT leaving
  AND name IN (SELECT name FROM partition_plans WHERE run_id = :run_id AND number = :number)
  AND NOT EXISTS (SELECT 1 FROM workers AS w WHERE w.id = owner_id AND w.number = :number)

-- name: take_partitions
UPDATE partitions SET owner_id = :worker_id
WHERE run_id = :run_id AND name IN (
    SELECT p.name FROM partitions AS p
    WHERE p.run_id = :run_id AND p.owner_id IS NULL
      AND NOT EXISTS (
          SELECT 1
          FROM partition_plans AS l
          JOIN workers AS w ON w.number = l.number AND w.state = 'live' AND w.id <> :worker_id
          JOIN serving AS s ON s.worker_id = w.id AND s.run_id = l.run_id
          WHERE l.run_id = p.run_id AND l.name = p.name
      )
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

-- name: hand_over_partitions
UPDATE partitions SET owner_id = NULL, leaving = 0
WHERE owner_id = :worker_id AND leaving
  AND NOT EXISTS (
      SELECT 1 FROM leases AS e JOIN heads AS h ON h.id = e.head_id
      WHERE e.worker_id = :worker_id
        AND h.run_id = partitions.run_id AND h.partition = partitions.name
  )
RETURNING name

-- name: free_partitions
UPDATE partitions SET owner_id = NULL, leaving = 0 WHERE owner_id = ?
