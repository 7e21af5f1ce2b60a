-- Stored pages: each with its task, each body once.

-- name: add_bodies
-- In order of the hash, so that two writers of the same bodies lock them in one order.
INSERT INTO swather.bodies AS b (
    sha256, encoding, size_bytes, stored_bytes, content, kept_at
)
SELECT g.*, (SELECT swather.clock())
FROM unnest(
    %(sha256)b::bytea[], %(encoding)b::text[], %(size_bytes)b::bigint[], %(stored_bytes)b::bigint[],
    %(content)b::bytea[]
) AS g
ORDER BY 1
ON CONFLICT (sha256) DO UPDATE SET kept_at = excluded.kept_at
WHERE b.kept_at < (SELECT swather.clock()) - %(touch_seconds)s * interval '1 second'

-- name: add_pages
INSERT INTO swather.pages AS p (
    run_id, task_id, request_key, method, url, status, headers, sha256, fetched_at
)
SELECT %(run_id)s, g.task_id, g.request_key, g.method, g.url, g.status, g.headers, g.sha256,
       CASE WHEN g.fetched_at < 0 THEN (SELECT swather.clock()) ELSE to_timestamp(g.fetched_at) END
FROM unnest(
    %(task_id)b::bigint[], %(request_key)b::bytea[], %(method)b::text[], %(url)b::text[],
    %(status)b::integer[], %(headers)b::text[], %(sha256)b::bytea[], %(fetched_at)b::float8[]
) AS g (task_id, request_key, method, url, status, headers, sha256, fetched_at)
ORDER BY g.task_id, g.request_key
ON CONFLICT (run_id, task_id, request_key) DO UPDATE SET
    method = excluded.method, url = excluded.url, status = excluded.status,
    headers = excluded.headers, sha256 = excluded.sha256, fetched_at = excluded.fetched_at

-- name: pages_with_bodies
SELECT p.task_id, p.request_key, p.method, p.url, p.status, p.headers, b.encoding, b.content,
       p.fetched_at
FROM swather.pages AS p
CROSS JOIN LATERAL (
    SELECT encoding, content FROM swather.bodies WHERE sha256 = p.sha256 OFFSET 0
) AS b

-- name: get_page
-- include: pages_with_bodies
WHERE p.run_id = %(run_id)s AND p.task_id = %(task_id)s AND p.request_key = %(request_key)b

-- name: latest_page
-- include: pages_with_bodies
WHERE p.request_key = %(request_key)b
ORDER BY p.fetched_at DESC
LIMIT 1

-- name: latest_page_of_run
-- include: pages_with_bodies
WHERE p.request_key = %(request_key)b AND p.run_id = %(run_id)s
ORDER BY p.fetched_at DESC
LIMIT 1

-- name: pages_of_task
-- include: pages_with_bodies
WHERE p.run_id = %(run_id)s AND p.task_id = %(task_id)s
ORDER BY p.fetched_at, p.id

-- name: tasks_with_pages
SELECT DISTINCT task_id FROM swather.pages
WHERE run_id = %(run_id)s AND task_id > %(after_id)s
ORDER BY task_id
LIMIT %(limit)s

-- name: page_stats
SELECT (SELECT count(*) FROM swather.pages),
       coalesce(sum(size_bytes), 0)::bigint, coalesce(sum(stored_bytes), 0)::bigint
FROM swather.bodies

-- name: page_stats_of_run
SELECT (SELECT count(*) FROM swather.pages WHERE run_id = %(run_id)s),
       coalesce(sum(size_bytes), 0)::bigint, coalesce(sum(stored_bytes), 0)::bigint
FROM swather.bodies
WHERE sha256 IN (SELECT sha256 FROM swather.pages WHERE run_id = %(run_id)s)

-- name: drop_pages
DELETE FROM swather.pages WHERE run_id = %(run_id)s AND task_id = ANY(%(tasks)b::bigint[])

-- name: prune_pages
WITH gone AS (
    DELETE FROM swather.pages
    WHERE id IN (
        SELECT id FROM swather.pages
        WHERE fetched_at < swather.clock() - %(days)s * interval '1 day'
        ORDER BY fetched_at
        LIMIT %(limit)s
    )
    RETURNING id
)
SELECT count(*) FROM gone

-- name: old_bodies
SELECT kept_at, sha256,
       (SELECT p.id FROM swather.pages AS p WHERE p.sha256 = b.sha256 LIMIT 1) IS NOT NULL
FROM swather.bodies AS b
WHERE (kept_at, sha256) > (%(after)s, %(after_sha256)b::bytea)
  AND kept_at < swather.clock() - %(seconds)s * interval '1 second'
ORDER BY kept_at, sha256
LIMIT %(limit)s

-- name: drop_bodies
-- One that is stored again meanwhile is locked, or has a new `kept_at`: it is left alone.
WITH orphans AS MATERIALIZED (
    SELECT sha256 FROM swather.bodies AS b
    WHERE sha256 = ANY(%(orphans)b::bytea[])
      AND kept_at < swather.clock() - %(seconds)s * interval '1 second'
      AND (SELECT p.id FROM swather.pages AS p WHERE p.sha256 = b.sha256 LIMIT 1) IS NULL
    ORDER BY sha256
    FOR UPDATE
),
gone AS (
    DELETE FROM swather.bodies WHERE sha256 = ANY(ARRAY(SELECT sha256 FROM orphans))
    RETURNING sha256
)
SELECT count(*) FROM gone
