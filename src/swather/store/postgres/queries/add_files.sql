WITH added AS (
    INSERT INTO swather.files (
        run_id, task_id, part, seq, name, sha256, size_bytes, media_type
    )
    SELECT f.*
    FROM unnest(
        %(run_id)b::bigint[], %(task_id)b::bigint[], %(part)b::integer[], %(seq)b::integer[],
        %(name)b::text[], %(sha256)b::text[], %(size_bytes)b::bigint[], %(media_type)b::text[]
    ) AS f
    ON CONFLICT DO NOTHING
    RETURNING run_id, task_id, part
),
unnamed AS (
    INSERT INTO swather.unlinked (task_id, part)
    SELECT DISTINCT task_id, part FROM added
    ON CONFLICT DO NOTHING
)
INSERT INTO swather.counters (run_id, name, n)
SELECT run_id, 'files', count(*) FROM added GROUP BY run_id
