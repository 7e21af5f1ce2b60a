UPDATE swather.heads AS h
SET wake_at = to_timestamp(o.wake_at), asleep = o.asleep
FROM unnest(%(heads)b::bigint[], %(wake_at)b::float8[], %(asleep)b::text[])
    AS o (head_id, wake_at, asleep)
WHERE h.id = o.head_id AND h.id = ANY(%(heads)b::bigint[])
