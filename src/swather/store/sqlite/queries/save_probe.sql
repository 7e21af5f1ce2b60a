UPDATE breakers SET probe_at = :probe_at WHERE lane_id = :lane_id AND scraper_id = :scraper_id
