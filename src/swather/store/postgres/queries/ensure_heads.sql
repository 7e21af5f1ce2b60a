INSERT INTO swather.heads (run_id, partition, lane_id, best, wake_at, asleep)
SELECT %(run_id)s, p.partition, l.id, 0, 'infinity', 'empty'
FROM unnest(%(partitions)b::text[], %(lanes)b::text[]) AS p (partition, lane)
CROSS JOIN LATERAL (
    SELECT id FROM swather.lanes WHERE kind = 'lane' AND name = p.lane OFFSET 0
) AS l
WHERE (
    SELECT id FROM swather.heads
    WHERE run_id = %(run_id)s AND partition = p.partition AND lane_id = l.id
) IS NULL
ORDER BY p.partition, l.id
ON CONFLICT DO NOTHING
