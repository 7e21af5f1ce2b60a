token AS MATERIALIZED (SELECT nextval('swather.tokens') AS token),
gone AS (
    DELETE FROM swather.ready WHERE ctid = ANY(ARRAY(SELECT place FROM picked))
),
known AS MATERIALIZED (
    SELECT k.task_id, k.head_id, k.priority, k.run_id, k.lane_id, k.partition, k.lane, o.token, t.target, t.parent_id,
           f.attempts, f.blocked, f.proxy, f.crashes, f.crashes_alone,
           coalesce(f.replaces, false) OR coalesce(c.version <> k.version, false) AS replaces,
           c.part, c.cursor
    FROM picked AS k
    CROSS JOIN token AS o
    CROSS JOIN LATERAL (
        SELECT target, parent_id FROM swather.tasks WHERE id = k.task_id OFFSET 0
    ) AS t
    LEFT JOIN LATERAL (
        SELECT attempts, blocked, proxy, crashes, crashes_alone, replaces
        FROM swather.faults WHERE task_id = k.task_id OFFSET 0
    ) AS f ON true
    LEFT JOIN LATERAL (
        SELECT part, cursor, version FROM swather.checkpoints WHERE task_id = k.task_id OFFSET 0
    ) AS c ON true
),
leased AS (
    INSERT INTO swather.leases (
        task_id, token, worker_id, run_id, head_id, lane_id, priority, replaces, claimed_at
    )
    SELECT task_id, token, %(worker_id)s, run_id, head_id, lane_id, priority, replaces,
           (SELECT swather.clock())
    FROM known
),
counted AS (
    INSERT INTO swather.counters (run_id, name, n)
    SELECT k.run_id, c.name, c.sign * k.n
    FROM (SELECT run_id, count(*) AS n FROM known GROUP BY run_id) AS k
    CROSS JOIN (VALUES ('ready', -1), ('leased', 1)) AS c (name, sign)
),
logged AS (
    INSERT INTO swather.events (at, kind, run_id, task_id, worker_id)
    SELECT (SELECT swather.clock()), 'claimed', run_id, task_id, %(worker_id)s
    FROM known
    WHERE (SELECT value = '"all"' FROM swather.settings WHERE name = 'event_level')
)
