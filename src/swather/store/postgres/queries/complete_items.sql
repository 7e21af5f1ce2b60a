,
added AS (
    INSERT INTO swather.items (run_id, task_id, part, seq, data)
    SELECT d.run_id, d.task_id, 0, i.seq, i.data
    FROM unnest(
        %(item_tasks)b::bigint[], %(item_tokens)b::bigint[], %(seqs)b::integer[], %(data)b::text[]
    ) WITH ORDINALITY AS i (task_id, token, seq, data, number)
    JOIN done AS d ON d.task_id = i.task_id AND d.token = i.token
    ORDER BY i.number
    ON CONFLICT DO NOTHING
    RETURNING run_id
),
counted_items AS (
    INSERT INTO swather.counters (run_id, name, n)
    SELECT run_id, 'items', count(*) FROM added GROUP BY run_id
)
