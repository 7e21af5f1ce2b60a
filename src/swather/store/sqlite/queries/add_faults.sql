INSERT INTO faults (
    task_id, run_id, token, attempts, blocked, proxy, crashes, crashes_alone,
    error_class, fingerprint, message, traceback, at
)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (task_id) DO UPDATE SET
    token = excluded.token,
    attempts = attempts + excluded.attempts,
    blocked = blocked + excluded.blocked,
    proxy = proxy + excluded.proxy,
    crashes = crashes + excluded.crashes,
    crashes_alone = crashes_alone + excluded.crashes_alone,
    error_class = excluded.error_class,
    fingerprint = excluded.fingerprint,
    message = excluded.message,
    traceback = excluded.traceback,
    at = excluded.at
