DELETE FROM swather.breakers WHERE lane_id = %(lane_id)s AND scraper_id = %(scraper_id)s
RETURNING lane_id
