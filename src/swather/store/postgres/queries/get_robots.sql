SELECT status, body, fetched_at, expires_at > swather.clock()
FROM swather.robots
WHERE origin = %(origin)s
