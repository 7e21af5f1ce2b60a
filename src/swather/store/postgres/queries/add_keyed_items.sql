-- Ids are drawn in the order given; rows go in ordered by key, so that two who add the same keys wait
-- for each other in one order.
WITH given AS MATERIALIZED (
    SELECT nextval('swather.items_id_seq') AS id, g.*
    FROM unnest(
        %(run_id)b::bigint[], %(task_id)b::bigint[], %(part)b::integer[], %(seq)b::integer[],
        %(key)b::text[], %(data)b::text[]
    ) AS g (run_id, task_id, part, seq, key, data)
),
added AS (
    INSERT INTO swather.items (id, run_id, task_id, part, seq, key, data)
    SELECT id, run_id, task_id, part, seq, key, data FROM given ORDER BY run_id, key, id
    ON CONFLICT DO NOTHING
    RETURNING id, run_id
),
inherited AS (
    INSERT INTO swather.item_heirs (run_id, key, task_id, part, seq)
    SELECT run_id, key, task_id, part, seq FROM given
    WHERE key IS NOT NULL AND id NOT IN (SELECT id FROM added)
    ON CONFLICT DO NOTHING
)
INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, 'items', count(*) FROM added GROUP BY run_id
