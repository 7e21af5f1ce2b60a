SELECT 1 FROM breakers WHERE lane_id = :lane_id AND scraper_id = :scraper_id
