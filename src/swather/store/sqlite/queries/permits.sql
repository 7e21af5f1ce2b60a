-- Permits for further requests of a task, and the requests in flight.

-- name: paces
SELECT id, limited, every_seconds, burst, in_flight, tat, paused, cool_until, is_public, overrides,
       set_every_seconds
FROM lanes
WHERE id IN (:lane_id, (SELECT scraper_lane_id FROM runs WHERE id = :run_id))

-- name: lane_in_flight
-- The second condition shows SQLite that it can use the partial index.
SELECT (SELECT count(*) FROM leases WHERE lane_id = ?1 AND lane_id <> 0)
     + (SELECT coalesce(sum(n), 0) FROM requests WHERE lane_id = ?1)

-- name: set_requests
INSERT INTO requests (lane_id, worker_id, n)
SELECT :lane_id, id, :n FROM workers WHERE id = :worker_id AND state = 'live'
ON CONFLICT (lane_id, worker_id) DO UPDATE SET n = excluded.n

-- name: no_requests
DELETE FROM requests WHERE lane_id = :lane_id AND worker_id = :worker_id

-- name: end_requests
DELETE FROM requests WHERE worker_id = ? RETURNING lane_id

-- name: stop_counting_lease
UPDATE leases SET lane_id = 0 WHERE task_id = ?1 AND token = ?2
