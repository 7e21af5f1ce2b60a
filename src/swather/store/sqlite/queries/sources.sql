-- Sources: what was asked of them, and their breakers.

-- name: count_sources
INSERT INTO source_counts (scraper, source, hour, run_id, name, n)
SELECT scraper, ?2, ?5, ?1, ?3, ?4 FROM runs WHERE id = ?1
ON CONFLICT (scraper, source, hour, run_id, name) DO UPDATE SET n = n + excluded.n

-- name: forgive_source
DELETE FROM source_breakers
WHERE scraper = (SELECT scraper FROM runs WHERE id = ?1) AND source = ?2

-- name: blame_source
-- While it is open, further failures are those of attempts that had begun before.
INSERT INTO source_breakers AS b (scraper, source, failures, openings, open_until, reason)
SELECT scraper, :source, :failures, :failures >= :to_open,
       CASE WHEN :failures >= :to_open THEN :now + :first_seconds END, :reason
FROM runs
WHERE id = :run_id
ON CONFLICT (scraper, source) DO UPDATE SET
    failures = b.failures + excluded.failures,
    reason = excluded.reason,
    openings = CASE
        WHEN b.failures + excluded.failures < :to_open OR b.open_until > :now THEN b.openings
        ELSE b.openings + 1
    END,
    open_until = CASE
        WHEN b.failures + excluded.failures < :to_open OR b.open_until > :now THEN b.open_until
        ELSE :now + min(:max_seconds, :first_seconds * (1 << min(b.openings, 20)))
    END,
    prober = '',
    probing_until = NULL
RETURNING scraper, source, failures, reason, openings, open_until

-- name: source_breaker
SELECT failures, open_until - :now, probing_until - :now, reason
FROM source_breakers
WHERE scraper = :scraper AND source = :source

-- name: probe_source
UPDATE source_breakers
SET prober = :prober, probing_until = :now + :seconds
WHERE scraper = :scraper AND source = :source AND open_until <= :now
  AND (probing_until IS NULL OR probing_until <= :now OR prober = :prober)
  AND EXISTS (SELECT 1 FROM leases WHERE task_id = :task_id AND token = :token)

-- name: sources_since
SELECT scraper, source, name, sum(n) FROM source_counts WHERE hour > ?
GROUP BY scraper, source, name

-- name: sources_of_run
SELECT scraper, source, name, sum(n) FROM source_counts WHERE run_id = ?
GROUP BY scraper, source, name

-- name: scraper_of_run
SELECT scraper FROM runs WHERE id = ?

-- name: sources_under_way
-- What running attempts report; the newest, if there are very many.
SELECT progress FROM leases WHERE run_id = ? AND progress LIKE '%"sources":%'
ORDER BY claimed_at DESC
LIMIT 1000

-- name: source_breakers
SELECT scraper, source, failures, open_until - ?1, probing_until - ?1, reason FROM source_breakers

-- name: reset_source
DELETE FROM source_breakers WHERE scraper = ? AND source = ?
