SELECT p.partition, p.lane, h.id
FROM unnest(%(partitions)b::text[], %(lanes)b::text[]) AS p (partition, lane)
CROSS JOIN LATERAL (
    SELECT id FROM swather.lanes WHERE kind = 'lane' AND name = p.lane OFFSET 0
) AS l
CROSS JOIN LATERAL (
    SELECT id FROM swather.heads
    WHERE run_id = %(run_id)s AND partition = p.partition AND lane_id = l.id
    OFFSET 0
) AS h
