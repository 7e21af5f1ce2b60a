-- CROSS, lest SQLite begins with the lanes.
SELECT s.name, l.name, b.opened_at, b.probe_at, b.probe_seconds, b.seen
FROM breakers AS b
CROSS JOIN lanes AS s ON s.id = b.scraper_id
CROSS JOIN lanes AS l ON l.id = b.lane_id
ORDER BY b.opened_at, s.name, l.name
