-- The second condition lets SQLite see that the partial index will do.
SELECT count(*) FROM leases
WHERE lane_id = :lane_id AND lane_id <> 0
  AND run_id IN (SELECT id FROM runs WHERE scraper_lane_id = :scraper_id)
