INSERT INTO runs (
    name, scraper, scraper_lane_id, params, version, strategy,
    lane_every_seconds, lane_burst, lane_in_flight, rate_is_default, task_limit, created_at
)
VALUES (
    :name, :scraper, :scraper_lane_id, :params, :version, :strategy,
    :lane_every_seconds, :lane_burst, :lane_in_flight, :rate_is_default, :task_limit, :now
)
