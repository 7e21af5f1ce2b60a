-- A worker that has beaten since it was seen to be late is left alone.
UPDATE swather.workers AS w
SET state = 'lost'
FROM (
    SELECT id FROM swather.workers
    WHERE id = ANY(%(workers)b::bigint[]) AND state = 'live'
      AND (expires_at <= swather.clock() OR id = ANY(%(dead)b::bigint[]))
    ORDER BY id
    FOR NO KEY UPDATE
) AS l
WHERE w.id = l.id
RETURNING w.id, w.name
