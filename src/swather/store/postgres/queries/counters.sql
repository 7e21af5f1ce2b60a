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

-- name: sum_counters_of_scrapers
SELECT r.scraper, c.name, sum(c.n)::bigint
FROM swather.counters AS c
JOIN swather.runs AS r ON r.id = c.run_id
GROUP BY r.scraper, c.name

-- name: sum_counters_of_open_runs
SELECT r.name, r.scraper, c.name, sum(c.n)::bigint
FROM (SELECT id, name, scraper FROM swather.runs WHERE state = 'open' ORDER BY id DESC LIMIT %(limit)s) AS r
LEFT JOIN swather.counters AS c ON c.run_id = r.id
GROUP BY r.id, r.name, r.scraper, c.name
ORDER BY r.id DESC
