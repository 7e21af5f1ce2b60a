SELECT every_seconds, learned_every_seconds, crawl_delay_seconds, strikes,
       extract(epoch FROM cool_until)::float8, extract(epoch FROM forgiven_at)::float8,
       extract(epoch FROM swather.clock())::float8
FROM swather.lanes
WHERE id = %(lane_id)s
FOR NO KEY UPDATE
