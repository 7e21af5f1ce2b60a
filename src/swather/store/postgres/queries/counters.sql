-- Counters: changes by run and name, summed when they are read.

-- name: add_counters
INSERT INTO swather.counters (run_id, name, n)
SELECT c.* FROM unnest(%(run_id)b::bigint[], %(name)b::text[], %(n)b::bigint[]) AS c

-- name: count_stale
INSERT INTO swather.counters (run_id, name, n)
SELECT t.run_id, 'stale', count(*)
FROM unnest(%(tasks)b::bigint[]) AS i (id)
CROSS JOIN LATERAL (SELECT run_id FROM swather.tasks WHERE id = i.id OFFSET 0) AS t
GROUP BY t.run_id

-- name: sum_counters
SELECT name, sum(n)::bigint FROM swather.counters WHERE run_id = %(run_id)s GROUP BY name

-- name: count_tasks
SELECT coalesce(sum(n), 0)::bigint FROM swather.counters
WHERE run_id = %(run_id)s
  AND name IN ('scheduled', 'ready', 'leased', 'completed', 'failed', 'cancelled')

-- name: task_counts
SELECT name, sum(n)::bigint
FROM swather.counters
WHERE name IN ('scheduled', 'ready', 'leased', 'completed', 'failed', 'cancelled')
GROUP BY name
HAVING sum(n) <> 0

-- name: many_counters
SELECT count(*) >= %(many)s FROM (SELECT FROM swather.counters LIMIT %(many)s) AS c

-- name: roll_up_counters
WITH old AS MATERIALIZED (
    SELECT ctid FROM swather.counters LIMIT %(limit)s FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM swather.counters AS c USING old AS o WHERE c.ctid = o.ctid
    RETURNING c.run_id, c.name, c.n
),
added AS (
    INSERT INTO swather.counters (run_id, name, n)
    SELECT run_id, name, sum(n) FROM gone GROUP BY run_id, name HAVING sum(n) <> 0
)
SELECT count(*) FROM gone
