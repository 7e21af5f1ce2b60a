SELECT r.id, r.name, r.scraper, r.version, r.strategy, r.priorities,
       r.lane_every_seconds, r.lane_burst, r.lane_in_flight, r.cool_until, r.scraper_lane_id,
       s.limited, s.every_seconds, s.burst, s.in_flight, s.tat, s.paused, s.cool_until
FROM runs AS r
JOIN lanes AS s ON s.id = r.scraper_lane_id
WHERE r.state = 'open'
ORDER BY r.id
