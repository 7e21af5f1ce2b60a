-- Permits for further requests of a task, and the requests in flight.

-- name: permit_lease
WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs)
SELECT l.worker_id, l.run_id, l.lane_id, r.scraper_lane_id, g.every, g.burst, g.in_flight,
       %(lane_id)s <> 0 AND EXISTS (SELECT FROM limiting AS m WHERE m.id = l.run_id)
       AND (
           SELECT x.id FROM swather.heads AS x
           WHERE x.lane_id = %(lane_id)s AND x.run_id = l.run_id LIMIT 1
       ) IS NULL
FROM swather.leases AS l
JOIN swather.runs AS r ON r.id = l.run_id
JOIN swather.workers AS w ON w.id = l.worker_id AND w.state = 'live'
CROSS JOIN LATERAL (
    SELECT is_public, overrides AND set_every_seconds > 0 AS sets_rate,
           overrides AND in_flight IS NOT NULL AS sets_in_flight
    FROM swather.lanes WHERE id = %(lane_id)s OFFSET 0
) AS p
CROSS JOIN LATERAL (SELECT %(lane_id)s::bigint AS lane_id, l.run_id, p.*) AS asked
-- include: limits_on_lane
WHERE l.task_id = %(task_id)s AND l.token = %(token)s

-- name: lock_limited_lanes
SELECT id, every_seconds, burst, in_flight, extract(epoch FROM tat)::float8, paused,
       extract(epoch FROM cool_until)::float8, extract(epoch FROM swather.clock())::float8
FROM swather.lanes
WHERE id = ANY(%(lanes)b::bigint[]) AND (limited OR id = ANY(%(paced)b::bigint[]))
ORDER BY id
FOR NO KEY UPDATE

-- name: lane_in_flight
SELECT n FROM swather.lanes_in_flight(ARRAY[%(lane_id)s::bigint])

-- name: set_requests
INSERT INTO swather.requests (lane_id, worker_id, n)
SELECT %(lane_id)s, id, %(n)s FROM swather.workers WHERE id = %(worker_id)s AND state = 'live'
ON CONFLICT (lane_id, worker_id) DO UPDATE SET n = excluded.n

-- name: no_requests
DELETE FROM swather.requests WHERE lane_id = %(lane_id)s AND worker_id = %(worker_id)s

-- name: end_requests
DELETE FROM swather.requests AS q
WHERE NOT EXISTS (SELECT FROM swather.workers AS w WHERE w.id = q.worker_id AND w.state = 'live')
RETURNING q.lane_id

-- name: stop_counting_lease
UPDATE swather.leases SET lane_id = 0 WHERE task_id = %(task_id)s AND token = %(token)s
