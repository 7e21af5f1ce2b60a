UPDATE swather.heads
SET wake_at = to_timestamp((%(wake_at)b::float8[])[array_position(%(heads)b::bigint[], id)]),
    asleep = (%(asleep)b::text[])[array_position(%(heads)b::bigint[], id)]
WHERE id = ANY(%(heads)b::bigint[])
