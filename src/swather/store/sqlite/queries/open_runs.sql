SELECT r.id, r.name, r.scraper, r.version, r.strategy, r.priorities,
       r.lane_every_seconds > 0 OR r.lane_in_flight IS NOT NULL, r.cool_until, r.scraper_lane_id,
       s.limited, s.every_seconds, s.burst, s.in_flight, s.tat, s.paused, s.cool_until
FROM runs AS r
JOIN lanes AS s ON s.id = r.scraper_lane_id
WHERE r.state = 'open' AND NOT r.paused
ORDER BY r.id
