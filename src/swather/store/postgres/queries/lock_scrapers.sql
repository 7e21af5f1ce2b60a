SELECT o.*,
       CASE WHEN o.in_flight_limit IS NULL THEN 0 ELSE swather.scraper_in_flight(o.id) END
FROM (
    SELECT id, every_seconds, burst, in_flight AS in_flight_limit,
           extract(epoch FROM tat)::float8, paused, extract(epoch FROM cool_until)::float8,
           extract(epoch FROM swather.clock())::float8
    FROM swather.lanes
    WHERE id = ANY(%(scrapers)b::bigint[])
    ORDER BY id
    FOR NO KEY UPDATE
) AS o
