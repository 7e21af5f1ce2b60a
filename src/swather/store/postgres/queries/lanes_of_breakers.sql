SELECT lane_id FROM swather.breakers WHERE scraper_id = %(scraper_id)s ORDER BY lane_id
