INSERT INTO swather.robots (origin, status, body, fetched_at, expires_at)
VALUES (
    %(origin)s, %(status)s, %(body)b, swather.clock(),
    swather.clock() + %(ttl_seconds)s * interval '1 second'
)
ON CONFLICT (origin) DO UPDATE SET
    status = excluded.status, body = excluded.body,
    fetched_at = excluded.fetched_at, expires_at = excluded.expires_at, claimed_until = '-infinity'
