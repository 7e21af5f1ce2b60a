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
