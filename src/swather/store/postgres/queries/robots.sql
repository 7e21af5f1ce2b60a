-- The robots.txt of sites, and who fetches one.

-- name: get_robots
SELECT status, body, fetched_at, expires_at > swather.clock()
FROM swather.robots
WHERE origin = %(origin)s

-- name: claim_robots
-- The row of an unknown site: no response, and not fresh.
INSERT INTO swather.robots (origin, status, body, fetched_at, expires_at, claimed_by, claimed_until)
VALUES (
    %(origin)s, 0, '', swather.clock(), swather.clock(), %(holder)s,
    swather.clock() + %(seconds)s * interval '1 second'
)
ON CONFLICT (origin) DO UPDATE SET
    claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
WHERE robots.claimed_until <= swather.clock() AND robots.expires_at <= swather.clock()
RETURNING origin

-- name: put_robots
INSERT INTO swather.robots (origin, status, body, fetched_at, expires_at)
VALUES (
    %(origin)s, %(status)s, %(body)b, swather.clock(),
    swather.clock() + %(ttl_seconds)s * interval '1 second'
)
ON CONFLICT (origin) DO UPDATE SET
    status = excluded.status, body = excluded.body,
    fetched_at = excluded.fetched_at, expires_at = excluded.expires_at, claimed_until = '-infinity'

-- name: release_robots
UPDATE swather.robots SET claimed_until = '-infinity'
WHERE origin = %(origin)s AND claimed_by = %(holder)s

-- name: prune_robots
WITH gone AS (
    DELETE FROM swather.robots
    WHERE origin IN (
        SELECT origin FROM swather.robots
        WHERE expires_at < swather.clock() - %(days)s * interval '1 day'
        ORDER BY expires_at
        LIMIT %(limit)s
    )
    RETURNING origin
)
SELECT count(*) FROM gone
