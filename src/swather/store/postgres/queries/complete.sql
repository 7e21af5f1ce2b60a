-- Attempts that ended well and brought at most items. A lease that replaces an earlier completion is
-- left to the longer way.
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
    INSERT INTO swather.events (at, kind, run_id, task_id, worker_id, message)
    SELECT (SELECT swather.clock()), 'completed', run_id, task_id, worker_id, %(reason)s
    FROM done
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
