SELECT p.task_id, p.request_key, p.method, p.url, p.status, p.headers, b.encoding, b.content,
       p.fetched_at
FROM swather.pages AS p
CROSS JOIN LATERAL (
    SELECT encoding, content FROM swather.bodies WHERE sha256 = p.sha256 OFFSET 0
) AS b
WHERE p.run_id = %(run_id)s AND p.task_id = %(task_id)s
ORDER BY p.fetched_at, p.id
