picked AS MATERIALIZED (
    SELECT o.*, t.place, t.task_id
    FROM open AS o
    CROSS JOIN LATERAL (
        SELECT r.ctid AS place, r.task_id
        FROM swather.ready AS r
        WHERE r.head_id = o.head_id AND r.priority = o.priority AND r.task_id > o.above
        ORDER BY r.task_id
        LIMIT o.quota
        FOR UPDATE SKIP LOCKED
    ) AS t
    LIMIT %(count)s
),
