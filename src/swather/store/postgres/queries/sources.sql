-- Sources: what was asked of them, and their breakers.

-- name: count_sources
-- In order of the key, so that two writers lock rows in one order.
INSERT INTO swather.source_counts AS c (scraper, source, hour, run_id, name, n)
SELECT r.scraper, g.source, date_trunc('hour', swather.clock(), 'UTC'), g.run_id, g.name, g.amount
FROM unnest(
    %(run_id)b::bigint[], %(source)b::text[], %(name)b::text[], %(amount)b::float8[]
) AS g (run_id, source, name, amount)
CROSS JOIN LATERAL (SELECT scraper FROM swather.runs WHERE id = g.run_id OFFSET 0) AS r
ORDER BY r.scraper, g.source, g.run_id, g.name
ON CONFLICT (scraper, source, hour, run_id, name) DO UPDATE SET n = c.n + excluded.n

-- name: lock_source_breakers
-- In one order, before some are deleted and others are updated.
SELECT b.source
FROM swather.source_breakers AS b
JOIN (
    SELECT DISTINCT r.scraper, g.source
    FROM unnest(%(run_id)b::bigint[], %(source)b::text[]) AS g (run_id, source)
    CROSS JOIN LATERAL (SELECT scraper FROM swather.runs WHERE id = g.run_id OFFSET 0) AS r
) AS n ON n.scraper = b.scraper AND n.source = b.source
ORDER BY b.scraper, b.source
FOR UPDATE OF b

-- name: forgive_sources
DELETE FROM swather.source_breakers AS b
USING unnest(%(run_id)b::bigint[], %(source)b::text[]) AS g (run_id, source), swather.runs AS r
WHERE r.id = g.run_id AND b.scraper = r.scraper AND b.source = g.source

-- name: blame_sources
-- While it is open, further failures are those of attempts that had begun before.
INSERT INTO swather.source_breakers AS b (
    scraper, source, failures, openings, open_until, reason
)
SELECT n.scraper, n.source, n.failures, (n.failures >= %(to_open)s)::integer,
       CASE
           WHEN n.failures >= %(to_open)s
           THEN swather.clock() + %(first_seconds)s * interval '1 second'
       END,
       n.reason
FROM (
    SELECT r.scraper, g.source, sum(g.failures)::integer AS failures, max(g.reason) AS reason
    FROM unnest(
        %(run_id)b::bigint[], %(source)b::text[], %(failures)b::integer[], %(reason)b::text[]
    ) AS g (run_id, source, failures, reason)
    CROSS JOIN LATERAL (SELECT scraper FROM swather.runs WHERE id = g.run_id OFFSET 0) AS r
    GROUP BY r.scraper, g.source
    ORDER BY r.scraper, g.source
) AS n
ON CONFLICT (scraper, source) DO UPDATE SET
    failures = b.failures + excluded.failures,
    reason = excluded.reason,
    openings = CASE
        WHEN b.failures + excluded.failures < %(to_open)s OR b.open_until > swather.clock()
        THEN b.openings
        ELSE b.openings + 1
    END,
    open_until = CASE
        WHEN b.failures + excluded.failures < %(to_open)s OR b.open_until > swather.clock()
        THEN b.open_until
        ELSE swather.clock() + interval '1 second'
            * least(%(max_seconds)s, %(first_seconds)s * (1 << least(b.openings, 20)))
    END,
    prober = '',
    probing_until = NULL
RETURNING scraper, source, failures, reason, openings, open_until

-- name: source_breaker
SELECT failures, extract(epoch FROM open_until - swather.clock())::float8,
       extract(epoch FROM probing_until - swather.clock())::float8, reason
FROM swather.source_breakers
WHERE scraper = %(scraper)s AND source = %(source)s

-- name: probe_source
UPDATE swather.source_breakers
SET prober = %(prober)s, probing_until = swather.clock() + %(seconds)s * interval '1 second'
WHERE scraper = %(scraper)s AND source = %(source)s AND open_until <= swather.clock()
  AND (probing_until IS NULL OR probing_until <= swather.clock() OR prober = %(prober)s)
  AND EXISTS (SELECT FROM swather.leases WHERE task_id = %(task_id)s AND token = %(token)s)
RETURNING source

-- name: sources_since
SELECT scraper, source, name, sum(n) FROM swather.source_counts
WHERE hour > swather.clock() - %(seconds)s * interval '1 second'
GROUP BY scraper, source, name

-- name: sources_of_run
SELECT scraper, source, name, sum(n) FROM swather.source_counts WHERE run_id = %(run_id)s
GROUP BY scraper, source, name

-- name: scraper_of_run
SELECT scraper FROM swather.runs WHERE id = %(run_id)s

-- name: sources_under_way
-- What running attempts report; the newest, if there are very many.
SELECT progress FROM swather.leases_by_worker
WHERE run_id = %(run_id)s AND strpos(progress, '"sources":') > 0
ORDER BY claimed_at DESC
LIMIT 1000

-- name: source_breakers
SELECT scraper, source, failures, extract(epoch FROM open_until - swather.clock())::float8,
       extract(epoch FROM probing_until - swather.clock())::float8, reason
FROM swather.source_breakers

-- name: reset_source
DELETE FROM swather.source_breakers WHERE scraper = %(scraper)s AND source = %(source)s
RETURNING source

-- name: prune_source_counts
WITH gone AS (
    DELETE FROM swather.source_counts
    WHERE (scraper, source, hour, run_id, name) IN (
        SELECT scraper, source, hour, run_id, name FROM swather.source_counts
        WHERE hour < swather.clock() - %(days)s * interval '1 day'
        LIMIT %(limit)s
    )
    RETURNING source
)
SELECT count(*) FROM gone
