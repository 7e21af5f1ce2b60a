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
