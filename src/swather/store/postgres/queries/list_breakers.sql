SELECT s.name, l.name, b.opened_at, b.probe_at, b.probe_seconds, b.seen
FROM swather.breakers AS b
CROSS JOIN LATERAL (SELECT name FROM swather.lanes WHERE id = b.scraper_id OFFSET 0) AS s
CROSS JOIN LATERAL (SELECT name FROM swather.lanes WHERE id = b.lane_id OFFSET 0) AS l
ORDER BY b.opened_at, s.name, l.name
