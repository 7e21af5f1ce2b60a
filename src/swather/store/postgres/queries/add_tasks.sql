-- Ids are drawn in the order given; rows go in ordered by key, so that two who add the same keys wait
-- for each other in one order.
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
