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
