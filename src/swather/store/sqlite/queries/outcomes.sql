-- Outcomes of attempts, with their faults and error groups.

-- name: add_outcomes
INSERT INTO outcomes (task_id, run_id, token, state, reason, worker_id, at)
SELECT value, ?2, ?3, ?4, ?5, ?6, ?7 FROM carray(?1)

-- name: add_faults
INSERT INTO faults (
    task_id, run_id, token, attempts, blocked, proxy, crashes, crashes_alone, postponed,
    error_class, fingerprint, message, traceback, avoids, at, earlier
)
-- A child that died with others' work behind it did execute the task.
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?7 - ?8)
ON CONFLICT (task_id) DO UPDATE SET
    token = excluded.token,
    attempts = attempts + excluded.attempts,
    blocked = blocked + excluded.blocked,
    proxy = proxy + excluded.proxy,
    crashes = crashes + excluded.crashes,
    crashes_alone = crashes_alone + excluded.crashes_alone,
    postponed = postponed + excluded.postponed,
    avoids = avoids || excluded.avoids,
    earlier = earlier + excluded.earlier,
    error_class = excluded.error_class,
    fingerprint = excluded.fingerprint,
    message = excluded.message,
    traceback = excluded.traceback,
    at = excluded.at

-- name: add_crash
INSERT INTO faults (task_id, run_id, token, crashes, at) VALUES (?, ?, 0, 1, ?)
ON CONFLICT (task_id) DO UPDATE SET crashes = crashes + 1, token = 0, at = excluded.at

-- name: forgive_faults
UPDATE faults
SET earlier = earlier + attempts + blocked + proxy + crashes_alone,
    attempts = 0, blocked = 0, proxy = 0, crashes = 0, crashes_alone = 0,
    postponed = 0, avoids = ''
WHERE task_id = ?

-- name: mark_replaces
INSERT INTO faults (task_id, run_id, token, replaces, earlier, at) VALUES (?, ?, 0, 1, ?, ?)
ON CONFLICT (task_id) DO UPDATE SET replaces = 1, earlier = earlier + excluded.earlier

-- name: forget_replaces
UPDATE faults SET replaces = 0 WHERE task_id = ?

-- name: add_error_groups
INSERT INTO error_groups (
    run_id, fingerprint, error_class, title, place, count,
    sample_task_id, sample_message, sample_traceback, first_at, last_at
)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run_id, fingerprint) DO UPDATE SET
    count = count + excluded.count,
    last_at = excluded.last_at,
    sample_task_id = excluded.sample_task_id,
    sample_message = excluded.sample_message,
    sample_traceback = excluded.sample_traceback

-- name: error_groups
SELECT fingerprint, error_class, title, place, count, first_at, last_at,
       sample_task_id, sample_message, sample_traceback, muted
FROM error_groups
WHERE run_id = :run_id
ORDER BY count DESC, last_at DESC
LIMIT :limit

-- name: sum_errors_of_scrapers
SELECT r.scraper, e.error_class, sum(e.count)
FROM error_groups AS e
JOIN runs AS r ON r.id = e.run_id
GROUP BY r.scraper, e.error_class

-- name: error_groups_like
SELECT fingerprint, error_class, title, place, count, first_at, last_at,
       sample_task_id, sample_message, sample_traceback, muted
FROM error_groups
WHERE run_id = :run_id AND substr(fingerprint, 1, length(:prefix)) = :prefix
ORDER BY count DESC, last_at DESC
LIMIT :limit

-- name: latest_error_groups
SELECT e.fingerprint, e.error_class, e.title, e.place, e.count, e.first_at, e.last_at,
       e.sample_task_id, e.sample_message, e.sample_traceback, e.muted, r.name
FROM error_groups AS e
JOIN runs AS r ON r.id = e.run_id
WHERE e.last_at >= :since
ORDER BY e.last_at DESC
LIMIT :limit

-- name: mute_error_group
UPDATE error_groups SET muted = :muted
WHERE run_id = :run_id AND fingerprint = :fingerprint

-- name: count_failed_in_group
SELECT count(*)
FROM (
    SELECT 1 FROM faults AS f
    CROSS JOIN outcomes AS o ON o.task_id = f.task_id
    WHERE f.run_id = :run_id AND f.fingerprint = :fingerprint AND o.state = 'failed'
    LIMIT :limit
)

-- name: frequent_messages
-- Of the newest tasks whose last error is in the group.
SELECT message, count(*) AS times, max(task_id)
FROM (
    SELECT message, task_id FROM faults
    WHERE run_id = :run_id AND fingerprint = :fingerprint
    ORDER BY task_id DESC
    LIMIT :seen
)
GROUP BY message
ORDER BY times DESC, 3 DESC
LIMIT :limit

-- name: fault_traceback
SELECT traceback FROM faults WHERE task_id = :task_id

-- name: add_cancelled
INSERT INTO outcomes (task_id, run_id, token, state, reason, at)
VALUES (?, ?, 0, 'cancelled', 'cancelled', ?)

-- name: drop_outcomes
DELETE FROM outcomes WHERE task_id = ?

-- name: remove_outcomes
DELETE FROM outcomes WHERE task_id IN carray(?) RETURNING state, reason
