UPDATE swather.heads
SET best = greatest(best, %(best)s),
    wake_at = CASE asleep WHEN 'empty' THEN '-infinity' ELSE wake_at END,
    asleep = CASE asleep WHEN 'empty' THEN '' ELSE asleep END
WHERE id = ANY(%(heads)b::bigint[])
