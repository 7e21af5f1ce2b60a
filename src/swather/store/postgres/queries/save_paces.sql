UPDATE swather.lanes
SET tat = to_timestamp((%(tats)b::float8[])[array_position(%(lanes)b::bigint[], id)])
WHERE id = ANY(%(lanes)b::bigint[])
