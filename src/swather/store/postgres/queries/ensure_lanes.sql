INSERT INTO swather.lanes (kind, name)
SELECT %(kind)s, l.name
FROM unnest(%(names)b::text[]) AS l (name)
WHERE NOT EXISTS (SELECT FROM swather.lanes WHERE kind = %(kind)s AND name = l.name)
ORDER BY l.name
ON CONFLICT DO NOTHING
