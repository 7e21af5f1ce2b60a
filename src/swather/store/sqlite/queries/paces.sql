SELECT id, every_seconds > 0 OR paused OR cool_until IS NOT NULL,
       every_seconds, burst, NULL, tat, paused, cool_until
FROM lanes
WHERE id IN (:lane_id, (SELECT scraper_lane_id FROM runs WHERE id = :run_id))
