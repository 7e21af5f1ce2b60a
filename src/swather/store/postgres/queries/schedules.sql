-- Schedules and their firings.

-- name: schedule_rows
SELECT id, name, scraper, cron, timezone, overlap, params, targets, origin, enabled, next_at,
       revision, created_at
FROM swather.schedules

-- name: get_schedule
-- include: schedule_rows
WHERE name = %(name)s

-- name: list_schedules
-- include: schedule_rows
ORDER BY name

-- name: due_schedules
-- include: schedule_rows
WHERE enabled AND next_at <= swather.clock() ORDER BY next_at, id

-- name: add_schedule
INSERT INTO swather.schedules (
    name, scraper, cron, timezone, overlap, params, targets, origin, next_at, created_at
)
VALUES (
    %(name)s, %(scraper)s, %(cron)s, %(timezone)s, %(overlap)s, %(params)s, %(targets)s,
    %(origin)s, %(next_at)s, swather.clock()
)
ON CONFLICT (name) DO NOTHING
RETURNING id

-- name: change_schedule
UPDATE swather.schedules
SET scraper = %(scraper)s, cron = %(cron)s, timezone = %(timezone)s, overlap = %(overlap)s,
    params = %(params)s, targets = %(targets)s, origin = %(origin)s, revision = revision + 1,
    next_at = CASE
        WHEN cron = %(cron)s AND timezone = %(timezone)s THEN next_at ELSE %(next_at)s
    END
WHERE name = %(name)s

-- name: remove_schedule
DELETE FROM swather.schedules WHERE name = %(name)s RETURNING id

-- name: enable_schedule
UPDATE swather.schedules SET enabled = true, next_at = %(next_at)s, revision = revision + 1
WHERE name = %(name)s
RETURNING id

-- name: make_schedule_due
UPDATE swather.schedules SET next_at = swather.clock(), revision = revision + 1
WHERE name = %(name)s AND enabled AND next_at > swather.clock()

-- name: disable_schedule
UPDATE swather.schedules SET enabled = false, revision = revision + 1 WHERE name = %(name)s
RETURNING id

-- name: schedule_outlook
SELECT (SELECT extract(epoch FROM min(next_at) - swather.clock())::float8
        FROM swather.schedules WHERE enabled),
       (SELECT count(*) FROM swather.firings WHERE state IN ('queued', 'loading'))

-- name: advance_schedule
UPDATE swather.schedules SET next_at = %(next_at)s, revision = revision + 1
WHERE id = %(id)s AND revision = %(revision)s AND enabled
RETURNING id

-- name: end_firings
-- Seen to have ended, so that the next look does not come to them again.
UPDATE swather.firings SET state = 'ended'
WHERE schedule_id = %(id)s AND state = 'running'
  AND NOT EXISTS (SELECT FROM swather.runs AS r WHERE r.id = firings.run_id AND r.state = 'open')

-- name: firings_under_way
SELECT count(*), count(*) FILTER (WHERE state = 'queued'), max(run_id)
FROM swather.firings
WHERE schedule_id = %(id)s AND state IN ('queued', 'loading', 'running')

-- name: add_firing
INSERT INTO swather.firings (schedule_id, due_at, fired_at, missed, state, reason, attempts)
VALUES (%(id)s, %(due_at)s, swather.clock(), %(missed)s, %(state)s, %(reason)s, %(attempts)s)
ON CONFLICT (schedule_id, due_at) DO NOTHING
RETURNING id

-- name: firing_rows
SELECT f.id, s.name, s.scraper, f.due_at, f.fired_at, f.missed, f.state, r.name, r.state,
       f.attempts, f.reason
FROM swather.firings AS f
JOIN swather.schedules AS s ON s.id = f.schedule_id
LEFT JOIN swather.runs AS r ON r.id = f.run_id

-- name: get_firing
-- include: firing_rows
WHERE f.id = %(firing_id)s

-- name: list_firings
-- include: firing_rows
ORDER BY f.id DESC LIMIT %(limit)s

-- name: list_firings_of
-- include: firing_rows
WHERE s.name = %(name)s ORDER BY f.id DESC LIMIT %(limit)s

-- name: open_firings
-- A queued one waits for all that are ahead of it: those of its schedule that are not ended.
-- include: firing_rows
WHERE f.state = 'loading'
  AND NOT EXISTS (SELECT FROM swather.workers AS w WHERE w.id = f.producer_id AND w.state = 'live')
   OR f.state = 'queued'
  AND NOT EXISTS (
      SELECT FROM swather.firings AS o
      LEFT JOIN swather.runs AS q ON q.id = o.run_id
      WHERE o.schedule_id = f.schedule_id AND o.id < f.id
        AND o.state IN ('queued', 'loading', 'running')
        AND (o.state <> 'running' OR q.state = 'open')
  )
ORDER BY f.id

-- name: take_firing
UPDATE swather.firings SET state = 'loading', attempts = attempts + 1
WHERE id = %(firing_id)s AND attempts = %(attempts)s AND state IN ('queued', 'loading')
RETURNING id

-- name: assign_firing
UPDATE swather.firings SET run_id = %(run_id)s, producer_id = %(producer_id)s
WHERE id = %(firing_id)s

-- name: firing_loaded
UPDATE swather.firings SET state = 'running' WHERE id = %(firing_id)s AND state = 'loading'

-- name: fail_firing
UPDATE swather.firings SET state = 'failed', reason = %(reason)s
WHERE id = %(firing_id)s AND state = 'loading'
RETURNING id

-- name: prune_firings
WITH gone AS (
    DELETE FROM swather.firings
    WHERE id IN (
        SELECT id FROM swather.firings
        WHERE state IN ('ended', 'skipped', 'failed')
          AND fired_at < swather.clock() - %(days)s * interval '1 day'
        LIMIT %(limit)s
    )
    RETURNING id
)
SELECT count(*) FROM gone
