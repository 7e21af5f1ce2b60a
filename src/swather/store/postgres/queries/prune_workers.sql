WITH gone AS (
    DELETE FROM swather.workers
    WHERE id IN (
        SELECT id FROM swather.workers
        WHERE state <> 'live' AND beat_at < swather.clock() - %(days)s * interval '1 day'
        LIMIT %(limit)s
    )
    RETURNING id
)
SELECT count(*) FROM gone
