-- For heads locked by lock_heads_to_tidy, so that this statement sees all that was committed before:
-- an empty one sleeps until somebody adds to it, another's best is what really waits there.
UPDATE swather.heads AS h
SET best = coalesce(o.best, h.best),
    wake_at = CASE WHEN o.best IS NULL THEN 'infinity' ELSE h.wake_at END,
    asleep = CASE WHEN o.best IS NULL THEN 'empty' ELSE h.asleep END
FROM (
    SELECT i.id, (
        SELECT r.priority FROM swather.ready AS r WHERE r.head_id = i.id
        ORDER BY r.priority DESC LIMIT 1
    ) AS best
    FROM unnest(%(heads)b::bigint[]) AS i (id)
) AS o
WHERE h.id = o.id AND h.id = ANY(%(heads)b::bigint[])
  AND o.best IS DISTINCT FROM h.best AND h.asleep <> 'empty'
RETURNING h.id
