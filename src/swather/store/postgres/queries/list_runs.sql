SELECT id, name, scraper, params, version, strategy, lane_every_seconds, lane_burst,
       lane_in_flight, state, paused, cool_until,
       EXISTS (SELECT FROM swather.loads AS l WHERE l.run_id = runs.id AND NOT l.complete),
       times_finished, created_at, finished_at, task_limit, rate_is_default
FROM swather.runs
ORDER BY id DESC
LIMIT %(limit)s
