WITH gone AS (
    DELETE FROM swather.pages
    WHERE id IN (
        SELECT id FROM swather.pages
        WHERE fetched_at < swather.clock() - %(days)s * interval '1 day'
        ORDER BY fetched_at
        LIMIT %(limit)s
    )
    RETURNING id
)
SELECT count(*) FROM gone
