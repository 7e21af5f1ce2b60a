-- Stored pages: each with its task, each body once.

-- name: add_bodies
INSERT INTO bodies (sha256, encoding, size_bytes, stored_bytes, content, kept_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (sha256) DO UPDATE SET kept_at = excluded.kept_at WHERE kept_at < ?7

-- name: add_pages
INSERT INTO pages (
    run_id, task_id, request_key, method, url, status, headers, sha256, fetched_at
)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run_id, task_id, request_key) DO UPDATE SET
    method = excluded.method, url = excluded.url, status = excluded.status,
    headers = excluded.headers, sha256 = excluded.sha256, fetched_at = excluded.fetched_at

-- name: pages_with_bodies
SELECT p.task_id, p.request_key, p.method, p.url, p.status, p.headers, b.encoding, b.content,
       p.fetched_at
FROM pages AS p
JOIN bodies AS b ON b.sha256 = p.sha256

-- name: get_page
-- include: pages_with_bodies
WHERE p.run_id = :run_id AND p.task_id = :task_id AND p.request_key = :request_key

-- name: latest_page
-- include: pages_with_bodies
WHERE p.request_key = :request_key
ORDER BY p.fetched_at DESC
LIMIT 1

-- name: latest_page_of_run
-- include: pages_with_bodies
WHERE p.request_key = :request_key AND p.run_id = :run_id
ORDER BY p.fetched_at DESC
LIMIT 1

-- name: pages_of_task
-- include: pages_with_bodies
WHERE p.run_id = :run_id AND p.task_id = :task_id
ORDER BY p.fetched_at, p.id

-- name: tasks_with_pages
SELECT DISTINCT task_id FROM pages
WHERE run_id = :run_id AND task_id > :after_id
ORDER BY task_id
LIMIT :limit

-- name: page_stats
SELECT (SELECT count(*) FROM pages), coalesce(sum(size_bytes), 0), coalesce(sum(stored_bytes), 0)
FROM bodies

-- name: page_stats_of_run
SELECT (SELECT count(*) FROM pages WHERE run_id = :run_id),
       coalesce(sum(size_bytes), 0), coalesce(sum(stored_bytes), 0)
FROM bodies
WHERE sha256 IN (SELECT sha256 FROM pages WHERE run_id = :run_id)

-- name: drop_pages
DELETE FROM pages WHERE run_id = ? AND task_id IN carray(?)

-- name: old_bodies
SELECT kept_at, sha256, EXISTS (SELECT 1 FROM pages AS p WHERE p.sha256 = b.sha256)
FROM bodies AS b
WHERE kept_at >= ?1 AND (kept_at > ?1 OR sha256 > ?2) AND kept_at < ?3
ORDER BY kept_at, sha256
LIMIT ?4

-- name: drop_bodies
DELETE FROM bodies WHERE sha256 = ?
