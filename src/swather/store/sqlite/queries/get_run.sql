SELECT id, name, scraper, params, version, strategy, lane_every_seconds, lane_burst, lane_in_flight,
       state, paused, cool_until,
       EXISTS (SELECT 1 FROM loads AS l WHERE l.run_id = runs.id AND NOT l.complete),
       times_finished, created_at, finished_at, task_limit, rate_is_default
FROM runs
WHERE name = :name
