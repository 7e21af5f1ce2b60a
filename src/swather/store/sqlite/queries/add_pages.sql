INSERT INTO pages (
    run_id, task_id, request_key, method, url, status, headers, sha256, fetched_at
)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run_id, task_id, request_key) DO UPDATE SET
    method = excluded.method, url = excluded.url, status = excluded.status,
    headers = excluded.headers, sha256 = excluded.sha256, fetched_at = excluded.fetched_at
