-- Leases: looked up and ended by their fence, progress and checkpoints of their tasks.

-- name: held_lease
SELECT task_id, token, worker_id, run_id, head_id, priority, replaces, lane_id
FROM swather.leases
WHERE task_id = %(task_id)s AND token = %(token)s
FOR NO KEY UPDATE

-- name: take_leases
-- By the fence, row by row (OFFSET 0), as the plan is reused while the table grows; a lease's token
-- never changes, so that what is deleted is what was found.
DELETE FROM swather.leases
WHERE task_id = ANY(ARRAY(
    SELECT l.task_id
    FROM unnest(%(tasks)b::bigint[], %(tokens)b::bigint[]) AS f (task_id, token)
    CROSS JOIN LATERAL (
        SELECT task_id FROM swather.leases
        WHERE task_id = f.task_id AND token = f.token
        OFFSET 0
    ) AS l
))
RETURNING task_id, token, worker_id, run_id, head_id, priority, replaces, lane_id,
          (SELECT value FROM swather.settings WHERE name = 'event_level')

-- name: worker_leases
SELECT task_id, token FROM swather.leases WHERE worker_id = %(worker_id)s

-- name: standing
SELECT f.task_id, f.token,
       CASE
           WHEN f.token = (SELECT token FROM swather.leases WHERE task_id = f.task_id)
               THEN 'pending'
           WHEN f.token = (SELECT token FROM swather.outcomes WHERE task_id = f.task_id)
               OR f.token = (SELECT token FROM swather.faults WHERE task_id = f.task_id)
               THEN 'committed'
           ELSE 'superseded'
       END
FROM unnest(%(tasks)b::bigint[], %(tokens)b::bigint[]) AS f (task_id, token)

-- name: keep_lease
UPDATE swather.leases SET replaces = false WHERE task_id = %(task_id)s

-- name: save_progress
WITH saved AS (
    UPDATE swather.leases SET progress = %(progress)s
    WHERE task_id = %(task_id)s AND token = %(token)s
    RETURNING run_id, task_id, worker_id
),
logged AS (
    INSERT INTO swather.events (at, kind, run_id, task_id, worker_id, message)
    SELECT swather.clock(), 'progress', run_id, task_id, worker_id, %(said)s
    FROM saved
    WHERE (SELECT value = '"all"' FROM swather.settings WHERE name = 'event_level')
)
SELECT task_id FROM saved

-- name: save_checkpoint
INSERT INTO swather.checkpoints (task_id, run_id, part, cursor, version, at)
SELECT %(task_id)s, id, %(part)s, %(cursor)s, version, swather.clock()
FROM swather.runs
WHERE id = %(run_id)s
ON CONFLICT (task_id) DO UPDATE SET
    part = excluded.part, cursor = excluded.cursor, version = excluded.version, at = excluded.at

-- name: next_part
SELECT part FROM swather.checkpoints WHERE task_id = %(task_id)s

-- name: drop_checkpoints
DELETE FROM swather.checkpoints WHERE task_id = ANY(%(tasks)b::bigint[])

-- name: clamp_leases
-- After the server's clock was set back, leases would last longer than they should.
UPDATE swather.workers
SET expires_at = swather.clock() + lease_seconds * interval '1 second'
WHERE state = 'live' AND expires_at > swather.clock() + (lease_seconds + 5) * interval '1 second'

-- name: return_lost
-- Leases whose worker is gone become ready again, counted as a crash and not as an attempt.
WITH RECURSIVE holders (worker_id) AS (
    (SELECT worker_id FROM swather.leases ORDER BY worker_id LIMIT 1)
    UNION ALL
    SELECT (
        SELECT l.worker_id FROM swather.leases AS l
        WHERE l.worker_id > h.worker_id ORDER BY l.worker_id LIMIT 1
    )
    FROM holders AS h
    WHERE h.worker_id IS NOT NULL
),
lost AS MATERIALIZED (
    SELECT l.task_id
    FROM holders AS h
    JOIN swather.leases AS l ON l.worker_id = h.worker_id
    WHERE NOT EXISTS (
        SELECT FROM swather.workers AS w WHERE w.id = h.worker_id AND w.state = 'live'
    )
    LIMIT %(limit)s
    FOR UPDATE OF l SKIP LOCKED
),
gone AS (
    DELETE FROM swather.leases WHERE task_id = ANY(ARRAY(SELECT task_id FROM lost))
    RETURNING task_id, run_id, worker_id, head_id, priority, lane_id
),
added AS (
    INSERT INTO swather.ready (head_id, priority, task_id)
    SELECT head_id, priority, task_id FROM gone ORDER BY task_id
),
blamed AS (
    INSERT INTO swather.faults AS f (task_id, run_id, token, crashes, at)
    SELECT task_id, run_id, 0, 1, (SELECT swather.clock()) FROM gone
    ON CONFLICT (task_id) DO UPDATE SET
        crashes = f.crashes + 1, token = 0, at = excluded.at
),
counted AS (
    INSERT INTO swather.counters (run_id, name, n)
    SELECT g.run_id, c.name, c.sign * g.n
    FROM (SELECT run_id, count(*) AS n FROM gone GROUP BY run_id) AS g
    CROSS JOIN (VALUES ('leased', -1), ('ready', 1)) AS c (name, sign)
),
logged AS (
    INSERT INTO swather.events (at, kind, run_id, task_id, worker_id, message)
    SELECT (SELECT swather.clock()), 'swept', run_id, task_id, worker_id, 'lease lost'
    FROM gone
    WHERE coalesce((SELECT value FROM swather.settings WHERE name = 'event_level'), '') <> '"none"'
)
SELECT head_id, priority, task_id, lane_id FROM gone
