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
