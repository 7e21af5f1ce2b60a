-- Counters: one row for each run and name.

-- name: add_counters
INSERT INTO counters (run_id, name, n) VALUES (?, ?, ?)
ON CONFLICT (run_id, name) DO UPDATE SET n = n + excluded.n

-- name: sum_counters
SELECT name, n FROM counters WHERE run_id = ?

-- name: task_counts
SELECT name, sum(n) FROM counters
WHERE name IN ('scheduled', 'ready', 'leased', 'completed', 'failed', 'cancelled')
GROUP BY name

-- name: sum_counters_of_scrapers
SELECT r.scraper, c.name, sum(c.n)
FROM counters AS c
JOIN runs AS r ON r.id = c.run_id
GROUP BY r.scraper, c.name

-- name: sum_counters_of_open_runs
SELECT r.name, r.scraper, c.name, sum(c.n)
FROM (SELECT id, name, scraper FROM runs WHERE state = 'open' ORDER BY id DESC LIMIT :limit) AS r
LEFT JOIN counters AS c ON c.run_id = r.id
GROUP BY r.id, r.name, r.scraper, c.name
ORDER BY r.id DESC

-- name: count_tasks
SELECT coalesce(sum(n), 0) FROM counters
WHERE run_id = :run_id
  AND name IN ('scheduled', 'ready', 'leased', 'completed', 'failed', 'cancelled')
