-- Runs: created, opened, paused, settled, cancelled, removed.

-- name: create_run
INSERT INTO swather.runs (
    name, scraper, scraper_lane_id, params, version, strategy, lane_every_seconds, lane_burst,
    lane_in_flight, rate_is_default, task_limit, keep_open, created_at
)
VALUES (
    %(name)s, %(scraper)s, %(scraper_lane_id)s, %(params)s, %(version)s, %(strategy)s,
    %(lane_every_seconds)s, %(lane_burst)s, %(lane_in_flight)s, %(rate_is_default)s, %(task_limit)s,
    %(keep_open)s, swather.clock()
)
ON CONFLICT (name) DO NOTHING
RETURNING id, name, scraper, params, version, strategy, lane_every_seconds, lane_burst,
          lane_in_flight, state, paused, false, times_finished, created_at,
          finished_at, task_limit, rate_is_default, egresses, keep_open

-- name: find_run
SELECT id FROM swather.runs WHERE name = %(name)s

-- name: run_name
SELECT name FROM swather.runs WHERE id = %(run_id)s

-- name: find_run_to_fill
SELECT id, task_limit FROM swather.runs WHERE name = %(name)s

-- name: run_rows
SELECT id, name, scraper, params, version, strategy, lane_every_seconds, lane_burst,
       lane_in_flight, state, paused,
       EXISTS (SELECT FROM swather.loads AS l WHERE l.run_id = runs.id AND NOT l.complete),
       times_finished, created_at, finished_at, task_limit, rate_is_default,
       egresses, keep_open
FROM swather.runs

-- name: get_run
-- include: run_rows
WHERE name = %(name)s

-- name: get_run_by_id
-- include: run_rows
WHERE id = %(run_id)s

-- name: count_runs_of_scrapers
SELECT scraper, count(*) FILTER (WHERE state = 'open'),
       count(*) FILTER (WHERE state = 'open' AND paused)
FROM swather.runs GROUP BY scraper ORDER BY scraper

-- name: run_demand
SELECT run, scraper, backlog, usable_slots, partitions FROM swather.v_fleet_demand
ORDER BY run_id

-- name: list_runs
-- include: run_rows
WHERE id < coalesce(%(before_id)s, 9223372036854775807)
ORDER BY id DESC
LIMIT %(limit)s

-- name: list_runs_by_state
-- include: run_rows
WHERE state = %(state)s AND id < coalesce(%(before_id)s, 9223372036854775807)
ORDER BY id DESC
LIMIT %(limit)s

-- name: old_runs
SELECT id FROM swather.runs WHERE state <> 'open' AND finished_at < %(before)s ORDER BY id

-- name: expired_run
SELECT id, name FROM swather.runs
WHERE state <> 'open' AND finished_at < swather.clock() - make_interval(secs => %(days)s * 86400)
ORDER BY finished_at
LIMIT 1

-- name: lock_run
-- Excludes settle, cancel and remove, which lock the row for update; others may add meanwhile.
SELECT state, priorities, task_limit FROM swather.runs WHERE id = %(run_id)s FOR KEY SHARE

-- name: lock_run_to_fill
-- Excludes others that add to a run with a task limit.
SELECT FROM swather.runs WHERE id = %(run_id)s FOR NO KEY UPDATE

-- name: lock_run_to_settle
SELECT FROM swather.runs WHERE id = %(run_id)s FOR UPDATE

-- name: lock_run_to_remove
SELECT state FROM swather.runs WHERE id = %(run_id)s FOR UPDATE

-- name: open_run
UPDATE swather.runs
SET priorities = priorities | %(mask)s, state = 'open', finished_at = NULL
WHERE id = %(run_id)s AND (priorities | %(mask)s <> priorities OR state <> 'open')

-- name: revise_run
UPDATE swather.runs
SET version = %(version)s,
    lane_every_seconds = %(every_seconds)s, lane_burst = %(burst)s, lane_in_flight = %(in_flight)s,
    rate_is_default = %(rate_is_default)s
WHERE id = %(run_id)s

-- name: set_egresses
UPDATE swather.runs SET egresses = %(egresses)s
WHERE id = %(run_id)s AND egresses <> %(egresses)s

-- name: lock_params
SELECT params FROM swather.runs WHERE id = %(run_id)s FOR NO KEY UPDATE

-- name: set_params
UPDATE swather.runs SET params = %(params)s WHERE id = %(run_id)s

-- name: pause_run
UPDATE swather.runs SET paused = true WHERE id = %(run_id)s

-- name: unpause_run
UPDATE swather.runs SET paused = false WHERE id = %(run_id)s

-- name: cancel_run
UPDATE swather.runs
SET state = 'cancelled', finished_at = swather.clock()
WHERE id = (
    -- The key is locked as well, to exclude those that add tasks.
    SELECT id FROM swather.runs WHERE id = %(run_id)s AND state = 'open' FOR UPDATE
)

-- name: settle_run
UPDATE swather.runs AS r
SET state = 'finished', times_finished = times_finished + 1, finished_at = swather.clock()
WHERE r.id = %(run_id)s AND r.state = 'open' AND NOT r.keep_open
  AND NOT EXISTS (
      SELECT FROM swather.workers AS w
      WHERE w.run_id = r.id AND w.state = 'live' AND w.kind = 'producer'
  )
  AND NOT EXISTS (SELECT FROM swather.scheduled AS s WHERE s.run_id = r.id)
  AND NOT EXISTS (
      SELECT FROM swather.heads AS h
      WHERE h.run_id = r.id
        AND (SELECT t.task_id FROM swather.ready AS t WHERE t.head_id = h.id LIMIT 1) IS NOT NULL
  )
  AND NOT EXISTS (SELECT FROM swather.leases AS l WHERE l.run_id = r.id)
  -- A scheduled run whose loader has died is not at its end: another scheduler loads the rest.
  AND NOT EXISTS (
      SELECT FROM swather.firings AS f WHERE f.run_id = r.id AND f.state = 'loading'
  )
RETURNING r.id

-- name: keep_run_open
UPDATE swather.runs SET keep_open = true, state = 'open', finished_at = NULL
WHERE id = %(run_id)s AND state <> 'cancelled'
RETURNING id

-- name: close_run
UPDATE swather.runs SET keep_open = false WHERE id = %(run_id)s

-- name: remove_run
DELETE FROM swather.runs WHERE id = %(run_id)s
