WITH gone AS (
    DELETE FROM swather.robots
    WHERE origin IN (
        SELECT origin FROM swather.robots
        WHERE expires_at < swather.clock() - %(days)s * interval '1 day'
        ORDER BY expires_at
        LIMIT %(limit)s
    )
    RETURNING origin
)
SELECT count(*) FROM gone
