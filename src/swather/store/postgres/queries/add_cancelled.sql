-- With a token of its own, which no attempt can mistake for its own success.
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
