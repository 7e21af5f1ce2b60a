-- Partitions: one live owner at a time, and the worker numbers they are planned for.

-- name: ensure_partitions
INSERT INTO swather.partitions (run_id, name)
SELECT %(run_id)s, p.name FROM unnest(%(names)b::text[]) AS p (name) ORDER BY p.name
ON CONFLICT DO NOTHING

-- name: list_partitions
SELECT p.name, p.owner_id, w.name, l.number, p.leaving
FROM swather.partitions AS p
LEFT JOIN swather.workers AS w ON w.id = p.owner_id
LEFT JOIN swather.partition_plans AS l ON l.run_id = p.run_id AND l.name = p.name
WHERE p.run_id = %(run_id)s
ORDER BY p.name

-- name: count_partitions
SELECT p.name,
       (
           SELECT count(*) FROM swather.heads AS h JOIN swather.ready AS r ON r.head_id = h.id
           WHERE h.run_id = p.run_id AND h.partition = p.name
       ) + coalesce(s.n, 0),
       coalesce(e.n, 0)
FROM swather.partitions AS p
LEFT JOIN (
    SELECT h.partition, count(*) AS n
    FROM swather.scheduled AS s JOIN swather.heads AS h ON h.id = s.head_id
    WHERE s.run_id = %(run_id)s
    GROUP BY h.partition
) AS s ON s.partition = p.name
LEFT JOIN (
    SELECT h.partition, count(*) AS n
    FROM swather.leases AS e JOIN swather.heads AS h ON h.id = e.head_id
    WHERE e.run_id = %(run_id)s
    GROUP BY h.partition
) AS e ON e.partition = p.name
WHERE p.run_id = %(run_id)s

-- name: total_partitions
SELECT h.partition, count(*)
FROM swather.tasks AS t JOIN swather.heads AS h ON h.id = t.head_id
WHERE t.run_id = %(run_id)s AND h.partition <> ''
GROUP BY h.partition

-- name: partitioned_runs
SELECT r.name
FROM swather.runs AS r
WHERE r.state = 'open' AND r.scraper = ANY(%(scrapers)b::text[])
  AND EXISTS (SELECT FROM swather.partitions AS p WHERE p.run_id = r.id)
ORDER BY r.id

-- name: owned_partitions
SELECT name FROM swather.partitions
WHERE run_id = %(run_id)s AND owner_id = %(worker_id)s
ORDER BY name

-- name: partition_plan
SELECT name, number FROM swather.partition_plans WHERE run_id = %(run_id)s ORDER BY name

-- name: lock_partition_plan
-- Plans have no row of their own to lock: two that are made at once would mix.
SELECT id FROM swather.runs WHERE id = %(run_id)s FOR NO KEY UPDATE

-- name: drop_partition_plan
DELETE FROM swather.partition_plans WHERE run_id = %(run_id)s

-- name: add_partition_plan
INSERT INTO swather.partition_plans (run_id, name, number)
SELECT %(run_id)s, p.name, p.number
FROM unnest(%(names)b::text[], %(numbers)b::integer[]) AS p (name, number)
ORDER BY p.name
ON CONFLICT DO NOTHING

-- name: worker_number
SELECT number, paused FROM swather.workers WHERE id = %(worker_id)s AND state = 'live' FOR SHARE

-- name: take_planned_partitions
UPDATE swather.partitions
SET owner_id = %(worker_id)s
WHERE run_id = %(run_id)s AND name IN (
    SELECT p.name FROM swather.partitions AS p
    JOIN swather.partition_plans AS l
        ON l.run_id = p.run_id AND l.name = p.name AND l.number = %(number)s
    WHERE p.run_id = %(run_id)s AND p.owner_id IS NULL
    ORDER BY p.name
    FOR UPDATE OF p
)

-- name: ask_back_partitions
-- Not from a worker of the same number: two fleets may share a run.
UPDATE swather.partitions
SET leaving = true
WHERE run_id = %(run_id)s AND name IN (
    SELECT p.name FROM swather.partitions AS p
    JOIN swather.partition_plans AS l
        ON l.run_id = p.run_id AND l.name = p.name AND l.number = %(number)s
    WHERE p.run_id = %(run_id)s AND p.owner_id <> %(worker_id)s AND NOT p.leaving
      AND NOT EXISTS (
          SELECT FROM swather.workers AS w WHERE w.id = p.owner_id AND w.number = %(number)s
      )
    ORDER BY p.name
    FOR UPDATE OF p
)

-- name: take_partitions
-- MATERIALIZED, or the planner might pick again for every row of the update and take too many.
WITH free AS MATERIALIZED (
    SELECT p.name
    FROM swather.partitions AS p
    WHERE p.run_id = %(run_id)s AND p.owner_id IS NULL
      AND NOT EXISTS (
          SELECT
          FROM swather.partition_plans AS l
          JOIN swather.serving AS s ON s.run_id = l.run_id
          JOIN swather.workers AS w
              ON w.id = s.worker_id AND w.number = l.number AND w.state = 'live'
              AND w.id <> %(worker_id)s
          WHERE l.run_id = p.run_id AND l.name = p.name
      )
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

-- name: hand_over_partitions
UPDATE swather.partitions AS p
SET owner_id = NULL, leaving = false
WHERE p.owner_id = %(worker_id)s AND p.leaving
  AND NOT EXISTS (
      SELECT FROM swather.leases AS e JOIN swather.heads AS h ON h.id = e.head_id
      WHERE e.worker_id = %(worker_id)s AND h.run_id = p.run_id AND h.partition = p.name
  )
RETURNING p.name

-- name: free_partitions
UPDATE swather.partitions AS p
SET owner_id = NULL, leaving = false
WHERE owner_id IS NOT NULL
  AND NOT EXISTS (SELECT FROM swather.workers AS w WHERE w.id = p.owner_id AND w.state = 'live')
