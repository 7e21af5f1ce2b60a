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
