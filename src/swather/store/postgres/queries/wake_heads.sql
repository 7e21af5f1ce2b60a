-- The lock comes first and in order: whoever puts a head to sleep holds it, so a head that is awake
-- here cannot be put to sleep unseen, and one that has just been is woken. The lock also yields the
-- newest row; the update by itself would judge by the one in its snapshot.
WITH held AS MATERIALIZED (
    SELECT h.id, h.best, h.asleep, o.best AS added
    FROM unnest(%(heads)b::bigint[], %(bests)b::smallint[]) AS o (id, best)
    JOIN swather.heads AS h ON h.id = o.id AND h.id = ANY(%(heads)b::bigint[])
    ORDER BY h.id
    FOR NO KEY UPDATE OF h
)
UPDATE swather.heads AS h
SET best = greatest(h.best, o.added),
    wake_at = CASE h.asleep WHEN 'empty' THEN '-infinity' ELSE h.wake_at END,
    asleep = CASE h.asleep WHEN 'empty' THEN '' ELSE h.asleep END
FROM held AS o
WHERE h.id = o.id AND h.id = ANY(%(heads)b::bigint[])
  AND (o.best < o.added OR o.asleep = 'empty')
