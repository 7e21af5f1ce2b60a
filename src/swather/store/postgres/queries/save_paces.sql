UPDATE swather.lanes AS l
SET tat = to_timestamp(o.tat)
FROM unnest(%(lanes)b::bigint[], %(tats)b::float8[]) AS o (lane_id, tat)
WHERE l.id = o.lane_id AND l.id = ANY(%(lanes)b::bigint[])
