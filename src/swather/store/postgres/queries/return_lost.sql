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
