-- For heads locked by lock_heads_to_tidy, so that this statement sees all that was committed before:
-- an empty one sleeps until somebody adds to it, another's best is what really waits there.
UPDATE swather.heads AS h
SET (best, wake_at, asleep) = (
    SELECT coalesce(max(o.best), h.best),
           CASE WHEN max(o.best) IS NULL THEN 'infinity' ELSE h.wake_at END,
           CASE WHEN max(o.best) IS NULL THEN 'empty' ELSE h.asleep END
    FROM (
        SELECT priority AS best FROM swather.ready WHERE head_id = h.id
        ORDER BY priority DESC LIMIT 1
    ) AS o
)
WHERE h.id = ANY(%(heads)b::bigint[]) AND h.asleep <> 'empty'
  AND h.best IS DISTINCT FROM (
      SELECT priority FROM swather.ready WHERE head_id = h.id ORDER BY priority DESC LIMIT 1
  )
RETURNING h.id
