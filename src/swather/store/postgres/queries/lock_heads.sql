-- Limited heads that are open as far as they know, with their lanes, locked for this claim. Whoever
-- has the lane has all of its pace: leases are counted after the lock is held.
WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs)
SELECT h.id, h.lane_id, h.wake_at = '-infinity',
       l.every_seconds, l.burst, l.in_flight,
       g.every, g.burst, g.in_flight,
       extract(epoch FROM l.tat)::float8, l.paused, extract(epoch FROM l.cool_until)::float8,
       extract(epoch FROM swather.clock())::float8,
       CASE
           WHEN l.in_flight IS NULL AND g.in_flight IS NULL THEN 0
           ELSE (SELECT f.n FROM swather.lanes_in_flight(ARRAY[h.lane_id]) AS f)
       END,
       l.tripped, r.scraper_lane_id
FROM (
    SELECT id, run_id, lane_id, wake_at
    FROM swather.heads
    WHERE id = ANY(%(heads)b::bigint[]) AND wake_at <= swather.clock()
    FOR NO KEY UPDATE SKIP LOCKED
) AS h
CROSS JOIN LATERAL (
    SELECT every_seconds, burst, in_flight, tat, paused, cool_until, tripped, is_public
    FROM swather.lanes
    WHERE id = h.lane_id
    FOR NO KEY UPDATE SKIP LOCKED
) AS l
CROSS JOIN LATERAL (
    SELECT scraper_lane_id FROM swather.runs WHERE id = h.run_id OFFSET 0
) AS r
CROSS JOIN LATERAL (
    SELECT coalesce(max(o.every), 0) AS every,
           coalesce(min(o.lane_burst) FILTER (WHERE o.every > 0), 1) AS burst,
           min(o.lane_in_flight) AS in_flight
    FROM (
        SELECT lane_burst, lane_in_flight,
               CASE
                   WHEN rate_is_default AND l.is_public IS NOT TRUE THEN 0 ELSE lane_every_seconds
               END AS every
        FROM limiting
        WHERE h.lane_id <> 0 AND (
            id = h.run_id OR (
                SELECT x.id FROM swather.heads AS x
                WHERE x.lane_id = h.lane_id AND x.run_id = limiting.id LIMIT 1
            ) IS NOT NULL
        )
    ) AS o
) AS g
