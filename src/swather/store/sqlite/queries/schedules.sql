-- Schedules and their firings.

-- name: schedule_rows
SELECT id, name, scraper, cron, timezone, overlap, params, targets, origin, enabled, next_at,
       revision, created_at
FROM schedules

-- name: get_schedule
-- include: schedule_rows
WHERE name = ?

-- name: list_schedules
-- include: schedule_rows
ORDER BY name

-- name: due_schedules
-- include: schedule_rows
WHERE enabled AND next_at <= ? ORDER BY next_at, id

-- name: add_schedule
INSERT INTO schedules (
    name, scraper, cron, timezone, overlap, params, targets, origin, next_at, created_at
)
VALUES (
    :name, :scraper, :cron, :timezone, :overlap, :params, :targets, :origin, :next_at, :now
)
ON CONFLICT (name) DO NOTHING

-- name: change_schedule
UPDATE schedules
SET scraper = :scraper, cron = :cron, timezone = :timezone, overlap = :overlap, params = :params,
    targets = :targets, origin = :origin, revision = revision + 1,
    next_at = iif(cron = :cron AND timezone = :timezone, next_at, :next_at)
WHERE name = :name

-- name: remove_schedule
DELETE FROM schedules WHERE name = ?

-- name: enable_schedule
UPDATE schedules SET enabled = 1, next_at = :next_at, revision = revision + 1 WHERE name = :name

-- name: make_schedule_due
UPDATE schedules SET next_at = :now, revision = revision + 1
WHERE name = :name AND enabled AND next_at > :now

-- name: disable_schedule
UPDATE schedules SET enabled = 0, revision = revision + 1 WHERE name = :name

-- name: schedule_outlook
-- The first condition shows SQLite that it can use the partial index.
SELECT (SELECT min(next_at) FROM schedules WHERE enabled),
       (SELECT count(*) FROM firings
        WHERE state IN ('queued', 'loading', 'running') AND state <> 'running')

-- name: advance_schedule
UPDATE schedules SET next_at = :next_at, revision = revision + 1
WHERE id = :id AND revision = :revision AND enabled

-- name: end_firings
-- The first condition on the state is for the partial index. Seen to have ended, so that the next look does not come to them again.
UPDATE firings SET state = 'ended'
WHERE schedule_id = :id AND state IN ('queued', 'loading', 'running') AND state = 'running'
  AND NOT EXISTS (SELECT 1 FROM runs AS r WHERE r.id = run_id AND r.state = 'open')

-- name: firings_under_way
SELECT count(*), sum(state = 'queued'), max(run_id)
FROM firings
WHERE schedule_id = :id AND state IN ('queued', 'loading', 'running')

-- name: add_firing
INSERT INTO firings (schedule_id, due_at, fired_at, missed, state, reason, attempts)
VALUES (:id, :due_at, :now, :missed, :state, :reason, :attempts)
ON CONFLICT (schedule_id, due_at) DO NOTHING
RETURNING id

-- name: firing_rows
SELECT f.id, s.name, s.scraper, f.due_at, f.fired_at, f.missed, f.state, r.name, r.state,
       f.attempts, f.reason
FROM firings AS f
JOIN schedules AS s ON s.id = f.schedule_id
LEFT JOIN runs AS r ON r.id = f.run_id

-- name: get_firing
-- include: firing_rows
WHERE f.id = ?

-- name: list_firings
-- include: firing_rows
ORDER BY f.id DESC LIMIT :limit

-- name: list_firings_of
-- include: firing_rows
WHERE s.name = :name ORDER BY f.id DESC LIMIT :limit

-- name: open_firings
-- A queued one waits for all that are ahead of it: those of its schedule that are not ended.
-- include: firing_rows
WHERE f.state = 'loading'
  AND NOT EXISTS (SELECT 1 FROM workers AS w WHERE w.id = f.producer_id AND w.state = 'live')
   OR f.state = 'queued'
  AND NOT EXISTS (
      SELECT 1 FROM firings AS o
      LEFT JOIN runs AS q ON q.id = o.run_id
      WHERE o.schedule_id = f.schedule_id AND o.id < f.id
        AND o.state IN ('queued', 'loading', 'running')
        AND (o.state <> 'running' OR q.state = 'open')
  )
ORDER BY f.id

-- name: take_firing
UPDATE firings SET state = 'loading', attempts = attempts + 1
WHERE id = :firing_id AND attempts = :attempts AND state IN ('queued', 'loading')

-- name: assign_firing
UPDATE firings SET run_id = :run_id, producer_id = :producer_id WHERE id = :firing_id

-- name: firing_loaded
UPDATE firings SET state = 'running' WHERE id = :firing_id AND state = 'loading'

-- name: fail_firing
UPDATE firings SET state = 'failed', reason = :reason WHERE id = :firing_id AND state = 'loading'
