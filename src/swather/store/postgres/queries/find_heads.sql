SELECT p.partition, p.lane, h.id
FROM unnest(%(partitions)b::text[], %(lanes)b::text[]) AS p (partition, lane)
JOIN swather.lanes AS l ON l.kind = 'lane' AND l.name = p.lane
JOIN swather.heads AS h
    ON h.run_id = %(run_id)s AND h.partition = p.partition AND h.lane_id = l.id
