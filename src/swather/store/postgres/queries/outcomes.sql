-- Outcomes of attempts, with their faults and error groups.

-- name: complete
-- Successful attempts with nothing but items. A lease that replaces an earlier completion is left to
-- the slow path.
WITH done AS (
    DELETE FROM swather.leases
    WHERE task_id = ANY(ARRAY(
        SELECT l.task_id
        FROM unnest(%(tasks)b::bigint[], %(tokens)b::bigint[]) AS f (task_id, token)
        CROSS JOIN LATERAL (
            SELECT task_id FROM swather.leases
            WHERE task_id = f.task_id AND token = f.token AND NOT replaces
            OFFSET 0
        ) AS l
    ))
    RETURNING task_id, token, run_id, worker_id, lane_id
),
ended AS (
    INSERT INTO swather.outcomes (task_id, run_id, token, state, reason, worker_id, at)
    SELECT task_id, run_id, token, 'completed', %(reason)s, worker_id, (SELECT swather.clock())
    FROM done
),
counted_done AS (
    INSERT INTO swather.counters (run_id, name, n)
    SELECT d.run_id, c.name, c.sign * d.n
    FROM (SELECT run_id, count(*) AS n FROM done GROUP BY run_id) AS d
    CROSS JOIN (
        VALUES ('leased', -1), ('completed', 1), ('reason:' || %(reason)s, 1)
    ) AS c (name, sign)
),
logged_done AS (
    INSERT INTO swather.events (at, kind, run_id, task_id, worker_id, message, data)
    SELECT (SELECT swather.clock()), 'completed', d.run_id, d.task_id, d.worker_id, %(reason)s,
           CASE WHEN e.egress IS NOT NULL THEN json_build_object('egress', e.egress)::text END
    FROM done AS d
    LEFT JOIN unnest(%(left_tasks)b::bigint[], %(egresses)b::text[]) AS e (task_id, egress)
        ON e.task_id = d.task_id
    WHERE (SELECT value = '"all"' FROM swather.settings WHERE name = 'event_level')
),
woken AS (
    UPDATE swather.heads
    SET wake_at = '-infinity', asleep = ''
    WHERE id = ANY(ARRAY(
        SELECT h.id FROM swather.heads AS h
        WHERE h.asleep = 'full'
          AND h.lane_id = ANY(ARRAY(SELECT DISTINCT lane_id FROM done WHERE lane_id <> 0))
        FOR NO KEY UPDATE SKIP LOCKED
    ))
)

-- name: complete_items
,
added AS (
    INSERT INTO swather.items (run_id, task_id, part, seq, data)
    SELECT d.run_id, d.task_id, 0, i.seq, i.data
    FROM unnest(
        %(item_tasks)b::bigint[], %(item_tokens)b::bigint[], %(seqs)b::integer[], %(data)b::text[]
    ) WITH ORDINALITY AS i (task_id, token, seq, data, number)
    JOIN done AS d ON d.task_id = i.task_id AND d.token = i.token
    ORDER BY i.number
    ON CONFLICT DO NOTHING
    RETURNING run_id
),
counted_items AS (
    INSERT INTO swather.counters (run_id, name, n)
    SELECT run_id, 'items', count(*) FROM added GROUP BY run_id
)

-- name: completed
SELECT task_id, token FROM done

-- name: add_outcomes
INSERT INTO swather.outcomes (task_id, run_id, token, state, reason, worker_id, at)
SELECT o.*, (SELECT swather.clock())
FROM unnest(
    %(task_id)b::bigint[], %(run_id)b::bigint[], %(token)b::bigint[], %(state)b::text[],
    %(reason)b::text[], %(worker_id)b::bigint[]
) AS o

-- name: add_faults
INSERT INTO swather.faults AS f (
    task_id, run_id, token, attempts, blocked, proxy, crashes, crashes_alone, postponed,
    error_class, fingerprint, message, traceback, avoids, at, earlier
)
-- A child that died with others' work behind it did execute the task.
SELECT g.*, (SELECT swather.clock()), g.crashes - g.crashes_alone
FROM unnest(
    %(task_id)b::bigint[], %(run_id)b::bigint[], %(token)b::bigint[], %(attempts)b::integer[],
    %(blocked)b::integer[], %(proxy)b::integer[], %(crashes)b::integer[],
    %(crashes_alone)b::integer[], %(postponed)b::integer[], %(error_class)b::text[], %(fingerprint)b::text[],
    %(message)b::text[], %(traceback)b::text[], %(avoids)b::text[]
) AS g (
    task_id, run_id, token, attempts, blocked, proxy, crashes, crashes_alone, postponed,
    error_class, fingerprint, message, traceback, avoids
)
ON CONFLICT (task_id) DO UPDATE SET
    token = excluded.token,
    attempts = f.attempts + excluded.attempts,
    blocked = f.blocked + excluded.blocked,
    proxy = f.proxy + excluded.proxy,
    crashes = f.crashes + excluded.crashes,
    crashes_alone = f.crashes_alone + excluded.crashes_alone,
    postponed = f.postponed + excluded.postponed,
    avoids = f.avoids || excluded.avoids,
    earlier = f.earlier + excluded.earlier,
    error_class = excluded.error_class,
    fingerprint = excluded.fingerprint,
    message = excluded.message,
    traceback = excluded.traceback,
    at = excluded.at

-- name: add_error_groups
INSERT INTO swather.error_groups AS e (
    run_id, fingerprint, error_class, title, place, count, sample_task_id, sample_message,
    sample_traceback, first_at, last_at
)
SELECT g.*, (SELECT swather.clock()), (SELECT swather.clock())
FROM unnest(
    %(run_id)b::bigint[], %(fingerprint)b::text[], %(error_class)b::text[], %(title)b::text[],
    %(place)b::text[], %(times)b::bigint[], %(sample_task_id)b::bigint[],
    %(sample_message)b::text[], %(sample_traceback)b::text[]
) AS g
ORDER BY 1, 2
ON CONFLICT (run_id, fingerprint) DO UPDATE SET
    count = e.count + excluded.count,
    last_at = excluded.last_at,
    sample_task_id = excluded.sample_task_id,
    sample_message = excluded.sample_message,
    sample_traceback = excluded.sample_traceback

-- name: error_groups
SELECT fingerprint, error_class, title, place, count, first_at, last_at,
       sample_task_id, sample_message, sample_traceback, muted
FROM swather.error_groups
WHERE run_id = %(run_id)s
ORDER BY count DESC, last_at DESC
LIMIT %(limit)s

-- name: sum_errors_of_scrapers
SELECT r.scraper, e.error_class, sum(e.count)::bigint
FROM swather.error_groups AS e
JOIN swather.runs AS r ON r.id = e.run_id
GROUP BY r.scraper, e.error_class

-- name: error_groups_like
SELECT fingerprint, error_class, title, place, count, first_at, last_at,
       sample_task_id, sample_message, sample_traceback, muted
FROM swather.error_groups
WHERE run_id = %(run_id)s AND starts_with(fingerprint, %(prefix)s)
ORDER BY count DESC, last_at DESC
LIMIT %(limit)s

-- name: latest_error_groups
SELECT e.fingerprint, e.error_class, e.title, e.place, e.count, e.first_at, e.last_at,
       e.sample_task_id, e.sample_message, e.sample_traceback, e.muted, r.name
FROM swather.error_groups AS e
JOIN swather.runs AS r ON r.id = e.run_id
WHERE e.last_at >= to_timestamp(%(since)s)
ORDER BY e.last_at DESC
LIMIT %(limit)s

-- name: mute_error_group
UPDATE swather.error_groups SET muted = %(muted)s
WHERE run_id = %(run_id)s AND fingerprint = %(fingerprint)s
RETURNING run_id

-- name: count_failed_in_group
SELECT count(*)
FROM (
    SELECT FROM swather.faults AS f
    WHERE f.run_id = %(run_id)s AND f.fingerprint = %(fingerprint)s
      AND (SELECT state FROM swather.outcomes WHERE task_id = f.task_id) = 'failed'
    LIMIT %(limit)s
) AS failed

-- name: frequent_messages
-- Of the newest tasks whose last error is in the group.
SELECT message, count(*) AS times, max(task_id)
FROM (
    SELECT message, task_id FROM swather.faults
    WHERE run_id = %(run_id)s AND fingerprint = %(fingerprint)s
    ORDER BY task_id DESC
    LIMIT %(seen)s
) AS newest
GROUP BY message
ORDER BY times DESC, 3 DESC
LIMIT %(limit)s

-- name: fault_traceback
SELECT traceback FROM swather.faults WHERE task_id = %(task_id)s

-- name: add_cancelled
-- With a token of its own, so that no attempt can mistake it for its own success.
WITH given AS MATERIALIZED (
    SELECT i.task_id, i.state, t.run_id
    FROM unnest(%(tasks)b::bigint[], %(states)b::text[]) AS i (task_id, state)
    CROSS JOIN LATERAL (SELECT run_id FROM swather.tasks WHERE id = i.task_id OFFSET 0) AS t
),
token AS MATERIALIZED (SELECT nextval('swather.tokens') AS token),
ended AS (
    INSERT INTO swather.outcomes (task_id, run_id, token, state, reason, at)
    SELECT g.task_id, g.run_id, o.token, 'cancelled', 'cancelled', (SELECT swather.clock())
    FROM given AS g CROSS JOIN token AS o
),
logged AS (
    INSERT INTO swather.events (at, kind, run_id, task_id)
    SELECT (SELECT swather.clock()), 'cancelled', run_id, task_id
    FROM given
    WHERE (SELECT value = '"all"' FROM swather.settings WHERE name = 'event_level')
)
INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, state, -count(*) FROM given GROUP BY run_id, state
UNION ALL
SELECT g.run_id, c.name, g.n
FROM (SELECT run_id, count(*) AS n FROM given GROUP BY run_id) AS g
CROSS JOIN (VALUES ('cancelled'), ('reason:cancelled')) AS c (name)

-- name: drop_outcomes
WITH gone AS (
    DELETE FROM swather.outcomes WHERE task_id = ANY(%(tasks)b::bigint[])
    RETURNING run_id, state, reason
)
INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, state, -count(*) FROM gone GROUP BY run_id, state
UNION ALL
SELECT run_id, 'reason:' || reason, -count(*) FROM gone GROUP BY run_id, reason
