DELETE FROM breakers WHERE scraper_id = :scraper_id RETURNING lane_id
