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
