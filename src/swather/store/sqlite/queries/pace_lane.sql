-- What claims go by: the slowest of what was set, learned and asked for; a burst only as it was set.
UPDATE lanes
SET every_seconds = max(
        set_every_seconds, coalesce(learned_every_seconds, 0), coalesce(crawl_delay_seconds, 0)
    ),
    burst = iif(
        max(coalesce(learned_every_seconds, 0), coalesce(crawl_delay_seconds, 0))
            > set_every_seconds,
        1, set_burst
    )
WHERE id = :lane_id
RETURNING every_seconds
