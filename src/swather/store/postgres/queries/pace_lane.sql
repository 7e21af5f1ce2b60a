-- What claims go by: the slowest of what was set, learned and asked for; a burst only as it was set.
UPDATE swather.lanes
SET every_seconds = greatest(set_every_seconds, learned_every_seconds, crawl_delay_seconds),
    burst = CASE
        WHEN greatest(learned_every_seconds, crawl_delay_seconds) > set_every_seconds THEN 1
        ELSE set_burst
    END
WHERE id = %(lane_id)s
RETURNING every_seconds
