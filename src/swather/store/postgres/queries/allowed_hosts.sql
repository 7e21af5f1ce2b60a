-- Allowed hosts: those that a person named, which a run may reach at private addresses.

-- name: allow_hosts
INSERT INTO swather.allowed_hosts (run_id, host, port)
SELECT %(run_id)s, h.host, h.port
FROM unnest(%(hosts)b::text[], %(ports)b::integer[]) AS h (host, port) ORDER BY h.host, h.port
ON CONFLICT DO NOTHING

-- name: get_allowed_host
SELECT first_address FROM swather.allowed_hosts
WHERE run_id = %(run_id)s AND host = %(host)s AND port = %(port)s

-- name: pin_allowed_host
UPDATE swather.allowed_hosts SET first_address = %(address)s
WHERE run_id = %(run_id)s AND host = %(host)s AND port = %(port)s AND first_address IS NULL

-- name: pin_allowed_hosts
-- Locked in one order, so that two workers that found the same hosts wait for each other.
UPDATE swather.allowed_hosts AS a SET first_address = f.address
FROM (
    SELECT l.run_id, l.host, l.port, s.address
    FROM unnest(%(hosts)b::text[], %(ports)b::integer[], %(addresses)b::text[])
        AS s (host, port, address)
    JOIN swather.allowed_hosts AS l
        ON l.run_id = %(run_id)s AND l.host = s.host AND l.port = s.port
    WHERE l.first_address IS NULL
    ORDER BY l.host, l.port
    FOR NO KEY UPDATE OF l
) AS f
WHERE a.run_id = f.run_id AND a.host = f.host AND a.port = f.port AND a.first_address IS NULL
