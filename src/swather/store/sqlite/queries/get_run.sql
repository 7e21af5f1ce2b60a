SELECT id, name, scraper, params, version, strategy, lane_every_seconds, lane_burst, lane_in_flight,
       state, paused, cool_until, load_incomplete, times_finished, created_at, finished_at, task_limit, rate_is_default
FROM runs
WHERE name = :name
