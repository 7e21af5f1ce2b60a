UPDATE swather.breakers SET probe_at = to_timestamp(%(probe_at)s)
WHERE lane_id = %(lane_id)s AND scraper_id = %(scraper_id)s
