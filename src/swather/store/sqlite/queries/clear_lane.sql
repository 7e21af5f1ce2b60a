UPDATE lanes
SET set_every_seconds = 0, set_burst = 1, in_flight = NULL, paused = 0, cool_until = NULL,
    cool_reason = '', tat = 0, learned_every_seconds = NULL, learned_at = NULL,
    crawl_delay_seconds = NULL, strikes = 0, forgiven_at = NULL
WHERE id = :lane_id
