-- MATERIALIZED, lest the planner picks anew for every row of the update and so takes too many.
WITH free AS MATERIALIZED (
    SELECT p.name
    FROM swather.partitions AS p
    WHERE p.run_id = %(run_id)s AND p.owner_id IS NULL
    ORDER BY (
        SELECT count(*)
        FROM (
            SELECT
            FROM swather.heads AS h
            JOIN swather.ready AS r ON r.head_id = h.id
            WHERE h.run_id = p.run_id AND h.partition = p.name
            LIMIT 10000
        ) AS w
    ) DESC, p.name
    LIMIT %(limit)s
    FOR UPDATE OF p SKIP LOCKED
)
UPDATE swather.partitions
SET owner_id = %(worker_id)s
WHERE run_id = %(run_id)s AND name = ANY(ARRAY(SELECT name FROM free))
