-- Several priorities in one order of age: a merge of their index scans, locked row by row, so that no
-- more is locked than is taken.
picked AS MATERIALIZED (
    SELECT o.head_id, t.priority, o.above, o.below, o.quota, o.run_id, o.lane_id, o.partition,
           o.lane, o.version, t.place, t.task_id
    FROM open AS o
    CROSS JOIN LATERAL (
        SELECT r.ctid AS place, r.task_id, r.priority
        FROM (
            SELECT ctid AS place, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 1 AND task_id > o.above
            UNION ALL
            SELECT ctid AS place, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 2 AND task_id > o.above
            UNION ALL
            SELECT ctid AS place, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 3 AND task_id > o.above
            UNION ALL
            SELECT ctid AS place, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 4 AND task_id > o.above
            UNION ALL
            SELECT ctid AS place, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 5 AND task_id > o.above
            UNION ALL
            SELECT ctid AS place, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 6 AND task_id > o.above
            UNION ALL
            SELECT ctid AS place, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 7 AND task_id > o.above
            UNION ALL
            SELECT ctid AS place, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 8 AND task_id > o.above
            UNION ALL
            SELECT ctid AS place, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 9 AND task_id > o.above
            UNION ALL
            SELECT ctid AS place, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 10 AND task_id > o.above
        ) AS m
        JOIN swather.ready AS r ON r.ctid = m.place
        ORDER BY m.task_id
        LIMIT o.quota
        FOR UPDATE OF r SKIP LOCKED
    ) AS t
    LIMIT %(count)s
),
