INSERT INTO robots (origin, status, body, fetched_at, expires_at)
VALUES (:origin, :status, :body, :now, :expires_at)
ON CONFLICT (origin) DO UPDATE SET
    status = excluded.status, body = excluded.body,
    fetched_at = excluded.fetched_at, expires_at = excluded.expires_at, claimed_until = 0
