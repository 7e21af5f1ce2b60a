-- Limited heads that are open as far as they know, with their lanes, locked for this claim. Whoever
-- has the lane has all of its pace: leases are counted after the lock is held.
SELECT h.id, h.lane_id, h.wake_at = '-infinity',
       l.every_seconds, l.burst, l.in_flight,
       r.lane_every_seconds, r.lane_burst, r.lane_in_flight,
       extract(epoch FROM l.tat)::float8, l.paused, extract(epoch FROM l.cool_until)::float8,
       extract(epoch FROM swather.clock())::float8,
       CASE
           WHEN l.in_flight IS NULL AND r.lane_in_flight IS NULL THEN 0
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
    SELECT every_seconds, burst, in_flight, tat, paused, cool_until, tripped
    FROM swather.lanes
    WHERE id = h.lane_id
    FOR NO KEY UPDATE SKIP LOCKED
) AS l
CROSS JOIN LATERAL (
    SELECT lane_every_seconds, lane_burst, lane_in_flight, scraper_lane_id
    FROM swather.runs WHERE id = h.run_id OFFSET 0
) AS r
