SELECT probe_at, probe_seconds FROM breakers WHERE lane_id = :lane_id AND scraper_id = :scraper_id
