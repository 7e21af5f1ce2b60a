-- A site that was never asked has no answer yet, and none that is fresh.
INSERT INTO swather.robots (origin, status, body, fetched_at, expires_at, claimed_by, claimed_until)
VALUES (
    %(origin)s, 0, '', swather.clock(), swather.clock(), %(holder)s,
    swather.clock() + %(seconds)s * interval '1 second'
)
ON CONFLICT (origin) DO UPDATE SET
    claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
WHERE robots.claimed_until <= swather.clock() AND robots.expires_at <= swather.clock()
RETURNING origin
