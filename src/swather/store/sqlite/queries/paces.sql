SELECT id, limited, every_seconds, burst, in_flight, tat, paused, cool_until, is_public
FROM lanes
WHERE id IN (:lane_id, (SELECT scraper_lane_id FROM runs WHERE id = :run_id))
