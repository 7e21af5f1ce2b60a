INSERT INTO swather.faults AS f (
    task_id, run_id, token, attempts, blocked, proxy, crashes, crashes_alone,
    error_class, fingerprint, message, traceback, at
)
SELECT g.*, (SELECT swather.clock())
FROM unnest(
    %(task_id)b::bigint[], %(run_id)b::bigint[], %(token)b::bigint[], %(attempts)b::integer[],
    %(blocked)b::integer[], %(proxy)b::integer[], %(crashes)b::integer[],
    %(crashes_alone)b::integer[], %(error_class)b::text[], %(fingerprint)b::text[],
    %(message)b::text[], %(traceback)b::text[]
) AS g
ON CONFLICT (task_id) DO UPDATE SET
    token = excluded.token,
    attempts = f.attempts + excluded.attempts,
    blocked = f.blocked + excluded.blocked,
    proxy = f.proxy + excluded.proxy,
    crashes = f.crashes + excluded.crashes,
    crashes_alone = f.crashes_alone + excluded.crashes_alone,
    error_class = excluded.error_class,
    fingerprint = excluded.fingerprint,
    message = excluded.message,
    traceback = excluded.traceback,
    at = excluded.at
