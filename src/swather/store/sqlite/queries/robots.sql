-- The robots.txt of sites, and who fetches one.

-- name: get_robots
SELECT status, body, fetched_at, expires_at FROM robots WHERE origin = :origin

-- name: claim_robots
-- The row of an unknown site: no response, and not fresh.
INSERT INTO robots (origin, status, body, fetched_at, expires_at, claimed_by, claimed_until)
VALUES (:origin, 0, x'', :now, :now, :holder, :claimed_until)
ON CONFLICT (origin) DO UPDATE SET
    claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
WHERE robots.claimed_until <= :now AND robots.expires_at <= :now
RETURNING origin

-- name: put_robots
INSERT INTO robots (origin, status, body, fetched_at, expires_at)
VALUES (:origin, :status, :body, :now, :expires_at)
ON CONFLICT (origin) DO UPDATE SET
    status = excluded.status, body = excluded.body,
    fetched_at = excluded.fetched_at, expires_at = excluded.expires_at, claimed_until = 0

-- name: release_robots
UPDATE robots SET claimed_until = 0 WHERE origin = :origin AND claimed_by = :holder
