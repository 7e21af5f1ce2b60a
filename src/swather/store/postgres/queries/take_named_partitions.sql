UPDATE swather.partitions
SET owner_id = %(worker_id)s
WHERE run_id = %(run_id)s AND name IN (
    SELECT name FROM swather.partitions
    WHERE run_id = %(run_id)s AND owner_id IS NULL AND name = ANY(%(names)b::text[])
    ORDER BY name
    FOR UPDATE
)
