SELECT p.task_id, p.request_key, p.method, p.url, p.status, p.headers, b.encoding, b.content,
       p.fetched_at
FROM pages AS p
JOIN bodies AS b ON b.sha256 = p.sha256
WHERE p.request_key = :request_key AND p.run_id = :run_id
ORDER BY p.fetched_at DESC
LIMIT 1
