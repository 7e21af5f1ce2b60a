-- Tasks: added, read, made ready, cancelled, retried.

-- name: add_tasks
-- Ids are drawn in the given order; rows are inserted in order of the key, so that two writers of the
-- same keys lock them in one order.
WITH given AS MATERIALIZED (
    SELECT nextval('swather.tasks_id_seq') AS id, g.*
    FROM unnest(
        %(heads)b::bigint[], %(priorities)b::smallint[], %(keys)b::bytea[], %(targets)b::text[],
        %(parents)b::bigint[], %(due)b::float8[]
    ) AS g (head_id, priority, key, target, parent_id, due_seconds)
),
added AS (
    INSERT INTO swather.tasks (
        id, run_id, head_id, priority, key, target, parent_id, due_at, created_at
    )
    SELECT id, %(run_id)s, head_id, priority, key, target, parent_id,
           CASE WHEN due_seconds > 0 THEN (SELECT swather.clock()) + due_seconds * interval '1 second' END,
           (SELECT swather.clock())
    FROM given
    ORDER BY key, id
    ON CONFLICT (run_id, key) DO NOTHING
    RETURNING id, head_id, priority, due_at
),
waiting AS (
    INSERT INTO swather.ready (head_id, priority, task_id)
    SELECT head_id, priority, id FROM added WHERE due_at IS NULL ORDER BY id
),
timed AS (
    INSERT INTO swather.scheduled (task_id, run_id, head_id, priority, due_at)
    SELECT id, %(run_id)s, head_id, priority, due_at FROM added WHERE due_at IS NOT NULL
),
counted AS (
    INSERT INTO swather.counters (run_id, name, n)
    SELECT %(run_id)s, CASE WHEN due_at IS NULL THEN 'ready' ELSE 'scheduled' END, count(*)
    FROM added
    GROUP BY due_at IS NULL
),
logged AS (
    INSERT INTO swather.events (at, kind, run_id, task_id)
    SELECT (SELECT swather.clock()), 'created', %(run_id)s, id
    FROM added
    WHERE (SELECT value = '"all"' FROM swather.settings WHERE name = 'event_level')
    ORDER BY id
)

-- name: added_heads
SELECT head_id, coalesce(max(priority) FILTER (WHERE due_at IS NULL), 0)::smallint, count(*)
FROM added
GROUP BY head_id

-- name: known_keys
SELECT t.key
FROM unnest(%(keys)b::bytea[]) AS k (key)
CROSS JOIN LATERAL (
    SELECT key FROM swather.tasks WHERE run_id = %(run_id)s AND key = k.key OFFSET 0
) AS t

-- name: tasks
-- Rows are looked up one by one (OFFSET 0): the planner's statistics may be long out of date.
SELECT t.id, r.name,
       CASE
           WHEN o.task_id IS NOT NULL THEN o.state
           WHEN l.task_id IS NOT NULL THEN 'leased'
           WHEN s.task_id IS NOT NULL THEN 'scheduled'
           ELSE 'ready'
       END,
       o.reason, t.target, t.priority, n.name, h.partition, t.parent_id,
       coalesce(f.attempts + f.blocked + f.proxy + f.crashes_alone + f.earlier, 0)
       + (o.state IS NOT DISTINCT FROM 'completed')::integer,
       coalesce(f.crashes, 0), w.name, s.due_at, t.created_at, o.at,
       e.error_class, e.message, e.traceback, l.progress,
       l.claimed_at
FROM swather.tasks AS t
CROSS JOIN LATERAL (SELECT name FROM swather.runs WHERE id = t.run_id OFFSET 0) AS r
CROSS JOIN LATERAL (
    SELECT partition, lane_id FROM swather.heads WHERE id = t.head_id OFFSET 0
) AS h
CROSS JOIN LATERAL (SELECT name FROM swather.lanes WHERE id = h.lane_id OFFSET 0) AS n
LEFT JOIN LATERAL (SELECT * FROM swather.outcomes WHERE task_id = t.id OFFSET 0) AS o ON true
LEFT JOIN LATERAL (SELECT * FROM swather.leases WHERE task_id = t.id OFFSET 0) AS l ON true
LEFT JOIN LATERAL (SELECT * FROM swather.scheduled WHERE task_id = t.id OFFSET 0) AS s ON true
LEFT JOIN LATERAL (SELECT * FROM swather.faults WHERE task_id = t.id OFFSET 0) AS f ON true
LEFT JOIN LATERAL (
    SELECT f.error_class, f.message, f.traceback WHERE o.state IS DISTINCT FROM 'completed'
) AS e ON true
LEFT JOIN LATERAL (
    SELECT name FROM swather.workers WHERE id = coalesce(l.worker_id, o.worker_id) OFFSET 0
) AS w ON true

-- name: ready_by_lane
-- Each head is counted once (OFFSET 0), until there are enough that have something ready.
SELECT (SELECT name FROM swather.lanes WHERE id = h.lane_id), h.n
FROM (
    SELECT lane_id,
           (
               SELECT count(*)
               FROM (SELECT FROM swather.ready WHERE head_id = heads.id LIMIT %(at_most)s) AS counted
           ) AS n
    FROM swather.heads
    WHERE run_id = %(run_id)s AND asleep <> 'empty'
    OFFSET 0
) AS h
WHERE h.n > 0
LIMIT %(lanes)s

-- name: scheduled_by_lane
SELECT (
           SELECT name FROM swather.lanes
           WHERE id = (SELECT lane_id FROM swather.heads WHERE id = s.head_id)
       ),
       1
FROM swather.scheduled AS s
WHERE s.run_id = %(run_id)s
ORDER BY s.due_at
LIMIT %(limit)s

-- name: due_times
SELECT (SELECT due_at FROM swather.scheduled WHERE run_id = %(run_id)s ORDER BY due_at LIMIT 1),
       (
           SELECT due_at FROM swather.scheduled WHERE run_id = %(run_id)s
           ORDER BY due_at DESC LIMIT 1
       )

-- name: run_of_task
SELECT run_id FROM swather.tasks WHERE id = %(task_id)s

-- name: scheduled_ids
SELECT task_id AS id FROM swather.scheduled
WHERE run_id = %(run_id)s AND task_id > %(after_id)s
ORDER BY task_id LIMIT %(limit)s

-- name: ready_ids
SELECT r.task_id AS id
FROM swather.heads AS h
CROSS JOIN generate_series(1, 10) AS p (priority)
CROSS JOIN LATERAL (
    SELECT task_id FROM swather.ready
    WHERE head_id = h.id AND priority = p.priority AND task_id > %(after_id)s
    ORDER BY task_id LIMIT %(limit)s
) AS r
WHERE h.run_id = %(run_id)s
ORDER BY r.task_id LIMIT %(limit)s

-- name: ready_page
SELECT r.task_id AS id
FROM swather.heads AS h
CROSS JOIN generate_series(1, 10) AS p (priority)
CROSS JOIN LATERAL (
    SELECT task_id FROM swather.ready
    WHERE head_id = h.id AND priority = p.priority
      AND task_id > %(after_id)s AND task_id < %(before_id)s
    ORDER BY task_id LIMIT %(limit)s
) AS r
WHERE h.run_id = %(run_id)s AND h.asleep <> 'empty'
  AND (SELECT priorities FROM swather.runs WHERE id = %(run_id)s) & (1 << p.priority) <> 0
ORDER BY r.task_id LIMIT %(limit)s

-- name: newest_ready_page
SELECT r.task_id AS id
FROM swather.heads AS h
CROSS JOIN generate_series(1, 10) AS p (priority)
CROSS JOIN LATERAL (
    SELECT task_id FROM swather.ready
    WHERE head_id = h.id AND priority = p.priority
      AND task_id > %(after_id)s AND task_id < %(before_id)s
    ORDER BY task_id DESC LIMIT %(limit)s
) AS r
WHERE h.run_id = %(run_id)s AND h.asleep <> 'empty'
  AND (SELECT priorities FROM swather.runs WHERE id = %(run_id)s) & (1 << p.priority) <> 0
ORDER BY r.task_id DESC LIMIT %(limit)s

-- name: has_many_heads
SELECT count(*) >= %(many)s
FROM (SELECT FROM swather.heads WHERE run_id = %(run_id)s LIMIT %(many)s) AS h

-- name: leased_ids
SELECT task_id AS id FROM swather.leases
WHERE run_id = %(run_id)s AND task_id > %(after_id)s
ORDER BY task_id LIMIT %(limit)s

-- name: unended_tasks
SELECT i.id
FROM unnest(%(tasks)b::bigint[]) AS i (id)
CROSS JOIN LATERAL (SELECT FROM swather.tasks WHERE id = i.id OFFSET 0) AS t
WHERE (SELECT task_id FROM swather.outcomes WHERE task_id = i.id) IS NULL
ORDER BY i.id

-- name: add_waiting
WITH given AS (
    SELECT g.*
    FROM unnest(
        %(task_id)b::bigint[], %(run_id)b::bigint[], %(head_id)b::bigint[],
        %(priority)b::smallint[], %(due_in_seconds)b::float8[]
    ) AS g (task_id, run_id, head_id, priority, due_in_seconds)
),
timed AS (
    INSERT INTO swather.scheduled (task_id, run_id, head_id, priority, due_at)
    SELECT task_id, run_id, head_id, priority,
           (SELECT swather.clock()) + due_in_seconds * interval '1 second'
    FROM given
    WHERE due_in_seconds > 0
)
INSERT INTO swather.ready (head_id, priority, task_id)
SELECT head_id, priority, task_id FROM given WHERE due_in_seconds <= 0

-- name: promote_due
WITH due AS MATERIALIZED (
    SELECT task_id FROM swather.scheduled
    WHERE due_at <= swather.clock()
    ORDER BY due_at
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM swather.scheduled WHERE task_id = ANY(ARRAY(SELECT task_id FROM due))
    RETURNING head_id, priority, task_id, run_id
),
added AS (
    INSERT INTO swather.ready (head_id, priority, task_id)
    SELECT head_id, priority, task_id FROM gone ORDER BY task_id
),
counted AS (
    INSERT INTO swather.counters (run_id, name, n)
    SELECT g.run_id, c.name, c.sign * g.n
    FROM (SELECT run_id, count(*) AS n FROM gone GROUP BY run_id) AS g
    CROSS JOIN (VALUES ('scheduled', -1), ('ready', 1)) AS c (name, sign)
)
SELECT head_id, priority, task_id FROM gone

-- name: ready_again
-- The end of a retry: tasks whose outcomes are `gone` become ready, and are counted.
known AS MATERIALIZED (
    SELECT t.head_id, t.priority, t.id
    FROM gone AS g
    CROSS JOIN LATERAL (
        SELECT id, head_id, priority FROM swather.tasks WHERE id = g.task_id OFFSET 0
    ) AS t
    ORDER BY t.id
),
added AS (
    INSERT INTO swather.ready (head_id, priority, task_id) SELECT * FROM known
),
counted AS (
    INSERT INTO swather.counters (run_id, name, n)
    SELECT run_id, state, -count(*) FROM gone GROUP BY run_id, state
    UNION ALL
    SELECT run_id, 'reason:' || reason, -count(*) FROM gone GROUP BY run_id, reason
    UNION ALL
    SELECT run_id, 'ready', count(*) FROM gone GROUP BY run_id
)
SELECT head_id, priority, id FROM known

-- name: retry_tasks
WITH gone AS (
    DELETE FROM swather.outcomes WHERE task_id = ANY(%(tasks)b::bigint[])
    RETURNING task_id, run_id, state, reason
),
forgiven AS (
    INSERT INTO swather.faults AS f (task_id, run_id, token, replaces, earlier, at)
    SELECT g.task_id, g.run_id, 0, g.state = 'completed', (g.state = 'completed')::integer,
           (SELECT swather.clock())
    FROM gone AS g
    WHERE g.state = 'completed'
       OR (SELECT x.task_id FROM swather.faults AS x WHERE x.task_id = g.task_id) IS NOT NULL
    ON CONFLICT (task_id) DO UPDATE SET
        earlier = f.earlier + f.attempts + f.blocked + f.proxy + f.crashes_alone + excluded.earlier,
        attempts = 0, blocked = 0, proxy = 0, crashes = 0, crashes_alone = 0, postponed = 0,
        avoids = '',
        replaces = f.replaces OR excluded.replaces
),
-- include: ready_again

-- name: retry_tasks_anew
WITH gone AS (
    DELETE FROM swather.outcomes WHERE task_id = ANY(%(tasks)b::bigint[])
    RETURNING task_id, run_id, state, reason
),
forgiven AS (
    INSERT INTO swather.faults AS f (task_id, run_id, token, replaces, earlier, at)
    SELECT task_id, run_id, 0, true, (state = 'completed')::integer, (SELECT swather.clock())
    FROM gone
    ON CONFLICT (task_id) DO UPDATE SET
        earlier = f.earlier + f.attempts + f.blocked + f.proxy + f.crashes_alone + excluded.earlier,
        attempts = 0, blocked = 0, proxy = 0, crashes = 0, crashes_alone = 0, postponed = 0,
        avoids = '',
        replaces = true
),
begun AS (
    DELETE FROM swather.checkpoints WHERE task_id IN (SELECT task_id FROM gone)
),
-- include: ready_again

-- name: cancel_scheduled
DELETE FROM swather.scheduled WHERE task_id = ANY(%(tasks)b::bigint[])
RETURNING task_id

-- name: cancel_ready
DELETE FROM swather.ready
WHERE ctid = ANY(ARRAY(
    SELECT r.ctid
    FROM unnest(%(tasks)b::bigint[]) AS i (id)
    CROSS JOIN LATERAL (
        SELECT id, head_id, priority FROM swather.tasks WHERE id = i.id OFFSET 0
    ) AS t
    CROSS JOIN LATERAL (
        SELECT ctid FROM swather.ready
        WHERE head_id = t.head_id AND priority = t.priority AND task_id = t.id
        FOR UPDATE
    ) AS r
))
RETURNING task_id

-- name: cancel_leased
DELETE FROM swather.leases WHERE task_id = ANY(%(tasks)b::bigint[])
RETURNING task_id, lane_id

-- name: tasks_to_remove
SELECT id FROM swather.tasks WHERE run_id = %(run_id)s ORDER BY id LIMIT %(limit)s

-- name: remove_tasks
DELETE FROM swather.tasks WHERE id = ANY(%(tasks)b::bigint[])
