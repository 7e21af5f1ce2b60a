WITH added AS (
    INSERT INTO swather.items (run_id, task_id, part, seq, key, data)
    SELECT g.*
    FROM unnest(
        %(run_id)b::bigint[], %(task_id)b::bigint[], %(part)b::integer[], %(seq)b::integer[],
        %(key)b::text[], %(data)b::text[]
    ) AS g (run_id, task_id, part, seq, key, data)
    ON CONFLICT DO NOTHING
    RETURNING run_id
)
INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, 'items', count(*) FROM added GROUP BY run_id
