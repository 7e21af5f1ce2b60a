SELECT count(*) FROM leases
WHERE lane_id = 0 AND run_id IN (SELECT id FROM runs WHERE scraper_lane_id = :scraper_id)
