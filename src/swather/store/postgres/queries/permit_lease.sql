SELECT r.scraper_lane_id, r.lane_every_seconds, r.lane_burst
FROM swather.leases AS l
JOIN swather.runs AS r ON r.id = l.run_id
WHERE l.task_id = %(task_id)s AND l.token = %(token)s
