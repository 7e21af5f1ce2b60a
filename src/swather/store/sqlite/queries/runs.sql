-- Runs: created, opened, paused, settled, cancelled, removed.

-- name: create_run
INSERT INTO runs (
    name, scraper, scraper_lane_id, params, version, strategy,
    lane_every_seconds, lane_burst, lane_in_flight, rate_is_default, task_limit, keep_open,
    created_at
)
VALUES (
    :name, :scraper, :scraper_lane_id, :params, :version, :strategy,
    :lane_every_seconds, :lane_burst, :lane_in_flight, :rate_is_default, :task_limit, :keep_open,
    :now
)

-- name: find_run
SELECT id FROM runs WHERE name = ?

-- name: run_name
SELECT name FROM runs WHERE id = ?

-- name: names_like
SELECT name FROM runs WHERE name = ? OR name GLOB ?

-- name: run_rows
SELECT id, name, scraper, params, version, strategy, lane_every_seconds, lane_burst, lane_in_flight,
       state, paused,
       EXISTS (SELECT 1 FROM loads AS l WHERE l.run_id = runs.id AND NOT l.complete),
       times_finished, created_at, finished_at, task_limit, rate_is_default,
       egresses, keep_open
FROM runs

-- name: get_run
-- include: run_rows
WHERE name = :name

-- name: get_run_by_id
-- include: run_rows
WHERE id = :run_id

-- name: count_runs_of_scrapers
SELECT scraper, sum(state = 'open'), sum(state = 'open' AND paused)
FROM runs GROUP BY scraper ORDER BY scraper

-- name: run_demand
SELECT run, scraper, backlog, usable_slots, partitions FROM v_fleet_demand ORDER BY run_id

-- name: list_runs
-- include: run_rows
WHERE id < ifnull(:before_id, 9223372036854775807) ORDER BY id DESC LIMIT :limit

-- name: list_runs_by_state
-- include: run_rows
WHERE state = :state AND id < ifnull(:before_id, 9223372036854775807) ORDER BY id DESC LIMIT :limit

-- name: old_runs
SELECT id FROM runs WHERE state <> 'open' AND finished_at < ?

-- name: expired_run
SELECT id, name FROM runs WHERE state <> 'open' AND finished_at < ? ORDER BY finished_at LIMIT 1

-- name: limiting_runs
SELECT * FROM limiting_runs

-- name: set_egresses
UPDATE runs SET egresses = :egresses WHERE id = :run_id

-- name: run_state
SELECT state FROM runs WHERE id = ?

-- name: get_task_limit
SELECT task_limit FROM runs WHERE id = ?

-- name: add_priorities
UPDATE runs SET priorities = priorities | :mask
WHERE id = :run_id AND priorities | :mask <> priorities

-- name: reopen_run
UPDATE runs SET state = 'open', finished_at = NULL WHERE id = :run_id AND state <> 'open'

-- name: revise_run
UPDATE runs
SET version = :version,
    lane_every_seconds = :every_seconds, lane_burst = :burst, lane_in_flight = :in_flight,
    rate_is_default = :rate_is_default
WHERE id = :run_id

-- name: set_params
UPDATE runs SET params = ? WHERE name = ?

-- name: pause_run
UPDATE runs SET paused = 1 WHERE id = :run_id

-- name: unpause_run
UPDATE runs SET paused = 0 WHERE id = :run_id

-- name: cancel_run
UPDATE runs SET state = 'cancelled', finished_at = :now
WHERE id = :run_id AND state = 'open'

-- name: run_has_producer
SELECT EXISTS (
    SELECT 1 FROM workers WHERE run_id = :run_id AND state = 'live' AND kind = 'producer'
)

-- name: run_has_work
SELECT EXISTS (SELECT 1 FROM leases WHERE run_id = :run_id)
    OR EXISTS (SELECT 1 FROM scheduled WHERE run_id = :run_id)
    OR EXISTS (
        SELECT 1 FROM heads AS h
        WHERE h.run_id = :run_id AND EXISTS (SELECT 1 FROM ready AS r WHERE r.head_id = h.id)
    )

-- name: run_is_loading
-- A scheduled run whose loader has died is not at its end: another scheduler loads the rest.
SELECT EXISTS (SELECT 1 FROM firings WHERE run_id = :run_id AND state = 'loading')

-- name: finish_run
UPDATE runs SET state = 'finished', times_finished = times_finished + 1, finished_at = :now
WHERE id = :run_id AND state = 'open' AND NOT keep_open

-- name: keep_run_open
UPDATE runs SET keep_open = 1, state = 'open', finished_at = NULL
WHERE id = :run_id AND state <> 'cancelled'

-- name: close_run
UPDATE runs SET keep_open = 0 WHERE id = :run_id

-- name: remove_run
DELETE FROM runs WHERE id = :run_id
