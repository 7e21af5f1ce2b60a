-- A site that was never asked has no answer yet, and none that is fresh.
INSERT INTO robots (origin, status, body, fetched_at, expires_at, claimed_by, claimed_until)
VALUES (:origin, 0, x'', :now, :now, :holder, :claimed_until)
ON CONFLICT (origin) DO UPDATE SET
    claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
WHERE robots.claimed_until <= :now AND robots.expires_at <= :now
RETURNING origin
