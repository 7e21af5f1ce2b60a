WITH gone AS (
    DELETE FROM swather.events
    WHERE id IN (
        SELECT id FROM swather.events
        WHERE at < swather.clock() - %(days)s * interval '1 day'
        ORDER BY at
        LIMIT %(limit)s
    )
    RETURNING id
)
SELECT count(*) FROM gone
