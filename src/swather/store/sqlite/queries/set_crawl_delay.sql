UPDATE lanes SET crawl_delay_seconds = :seconds WHERE id = :lane_id
