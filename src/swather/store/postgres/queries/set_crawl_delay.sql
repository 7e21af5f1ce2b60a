UPDATE swather.lanes SET crawl_delay_seconds = %(seconds)s WHERE id = %(lane_id)s
