SELECT id, every_seconds, burst, in_flight, extract(epoch FROM tat)::float8, paused,
       extract(epoch FROM cool_until)::float8, extract(epoch FROM swather.clock())::float8
FROM swather.lanes
WHERE id = ANY(%(lanes)b::bigint[]) AND (limited OR id = ANY(%(paced)b::bigint[]))
ORDER BY id
FOR NO KEY UPDATE
