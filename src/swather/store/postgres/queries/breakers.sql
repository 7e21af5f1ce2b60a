-- Breakers: a scraper on a lane where nearly all has failed, tried one task at a time.

-- name: list_breakers
SELECT s.name, l.name, b.opened_at, b.probe_at, b.probe_seconds, b.seen,
       greatest(extract(epoch FROM swather.clock() - b.opened_at), 0)::float8
FROM swather.breakers AS b
CROSS JOIN LATERAL (SELECT name FROM swather.lanes WHERE id = b.scraper_id OFFSET 0) AS s
CROSS JOIN LATERAL (SELECT name FROM swather.lanes WHERE id = b.lane_id OFFSET 0) AS l
ORDER BY b.opened_at, s.name, l.name

-- name: trip_breaker
-- `xmax` is 0 for a row that was inserted: the breaker was closed before.
INSERT INTO swather.breakers AS b (
    lane_id, scraper_id, opened_at, probe_at, probe_seconds, seen
)
VALUES (
    %(lane_id)s, %(scraper_id)s, swather.clock(),
    swather.clock() + %(probe_seconds)s * interval '1 second', %(probe_seconds)s, %(seen)s
)
ON CONFLICT (lane_id, scraper_id) DO UPDATE SET
    probe_seconds = greatest(b.probe_seconds, excluded.probe_seconds),
    probe_at = greatest(
        b.probe_at,
        excluded.opened_at
        + greatest(b.probe_seconds, excluded.probe_seconds) * interval '1 second'
    ),
    seen = excluded.seen
RETURNING b.xmax = 0

-- name: trip_lane
UPDATE swather.lanes SET tripped = true WHERE id = %(lane_id)s AND NOT tripped

-- name: close_breaker
DELETE FROM swather.breakers WHERE lane_id = %(lane_id)s AND scraper_id = %(scraper_id)s
RETURNING lane_id

-- name: close_breakers_of_lane
DELETE FROM swather.breakers WHERE lane_id = %(lane_id)s

-- name: lanes_of_breakers
SELECT lane_id FROM swather.breakers WHERE scraper_id = %(scraper_id)s ORDER BY lane_id

-- name: untrip_lane
UPDATE swather.lanes
SET tripped = EXISTS (SELECT FROM swather.breakers WHERE lane_id = %(lane_id)s)
WHERE id = %(lane_id)s

-- name: probes
-- For lanes that are locked: breakers that are open there, and how many tasks are in flight.
SELECT b.lane_id, b.scraper_id, extract(epoch FROM b.probe_at)::float8, b.probe_seconds,
       extract(epoch FROM swather.clock())::float8,
       CASE
           WHEN b.lane_id <> 0 THEN (
               SELECT count(*) FROM swather.leases AS s
               WHERE s.lane_id = b.lane_id AND s.lane_id <> 0 AND s.run_id IN (
                   SELECT id FROM swather.runs WHERE scraper_lane_id = b.scraper_id
               )
           )
           ELSE (
               SELECT count(*) FROM swather.leases AS s
               WHERE s.lane_id = 0 AND s.run_id IN (
                   SELECT id FROM swather.runs WHERE scraper_lane_id = b.scraper_id
               )
           )
       END
FROM unnest(%(lanes)b::bigint[], %(scrapers)b::bigint[]) AS p (lane_id, scraper_id)
CROSS JOIN LATERAL (
    SELECT * FROM swather.breakers
    WHERE lane_id = p.lane_id AND scraper_id = p.scraper_id
    OFFSET 0
) AS b

-- name: save_probe
UPDATE swather.breakers SET probe_at = to_timestamp(%(probe_at)s)
WHERE lane_id = %(lane_id)s AND scraper_id = %(scraper_id)s
