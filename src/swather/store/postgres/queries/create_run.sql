INSERT INTO swather.runs (
    name, scraper, scraper_lane_id, params, version, strategy, lane_every_seconds, lane_burst,
    lane_in_flight, rate_is_default, task_limit, created_at
)
VALUES (
    %(name)s, %(scraper)s, %(scraper_lane_id)s, %(params)s, %(version)s, %(strategy)s,
    %(lane_every_seconds)s, %(lane_burst)s, %(lane_in_flight)s, %(rate_is_default)s, %(task_limit)s,
    swather.clock()
)
ON CONFLICT (name) DO NOTHING
RETURNING id, name, scraper, params, version, strategy, lane_every_seconds, lane_burst,
          lane_in_flight, state, paused, cool_until, false, times_finished, created_at,
          finished_at, task_limit, rate_is_default
