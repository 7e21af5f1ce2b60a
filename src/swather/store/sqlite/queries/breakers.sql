-- Breakers: a scraper on a lane where nearly all has failed, tried one task at a time.

-- name: list_breakers
-- CROSS, so that SQLite does not begin with the lanes.
SELECT s.name, l.name, b.opened_at, b.probe_at, b.probe_seconds, b.seen
FROM breakers AS b
CROSS JOIN lanes AS s ON s.id = b.scraper_id
CROSS JOIN lanes AS l ON l.id = b.lane_id
ORDER BY b.opened_at, s.name, l.name

-- name: is_open
SELECT 1 FROM breakers WHERE lane_id = :lane_id AND scraper_id = :scraper_id

-- name: trip_breaker
INSERT INTO breakers (lane_id, scraper_id, opened_at, probe_at, probe_seconds, seen)
VALUES (:lane_id, :scraper_id, :now, :now + :probe_seconds, :probe_seconds, :seen)
ON CONFLICT (lane_id, scraper_id) DO UPDATE SET
    probe_seconds = max(probe_seconds, excluded.probe_seconds),
    probe_at = max(probe_at, :now + max(probe_seconds, excluded.probe_seconds)),
    seen = excluded.seen

-- name: trip_lane
UPDATE lanes SET tripped = 1 WHERE id = :lane_id AND NOT tripped

-- name: close_breaker
DELETE FROM breakers WHERE lane_id = :lane_id AND scraper_id = :scraper_id

-- name: close_breakers_of_lane
DELETE FROM breakers WHERE lane_id = :lane_id

-- name: close_breakers_of_scraper
DELETE FROM breakers WHERE scraper_id = :scraper_id RETURNING lane_id

-- name: untrip_lane
UPDATE lanes SET tripped = EXISTS (SELECT 1 FROM breakers WHERE lane_id = :lane_id)
WHERE id = :lane_id

-- name: probe
SELECT probe_at, probe_seconds FROM breakers WHERE lane_id = :lane_id AND scraper_id = :scraper_id

-- name: probes_in_flight
-- The second condition shows SQLite that it can use the partial index.
SELECT count(*) FROM leases
WHERE lane_id = :lane_id AND lane_id <> 0
  AND run_id IN (SELECT id FROM runs WHERE scraper_lane_id = :scraper_id)

-- name: probes_without_lane
SELECT count(*) FROM leases
WHERE lane_id = 0 AND run_id IN (SELECT id FROM runs WHERE scraper_lane_id = :scraper_id)

-- name: save_probe
UPDATE breakers SET probe_at = :probe_at WHERE lane_id = :lane_id AND scraper_id = :scraper_id
