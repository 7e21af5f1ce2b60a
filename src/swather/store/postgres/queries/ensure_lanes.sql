INSERT INTO swather.lanes (kind, name)
SELECT %(kind)s, l.name
FROM unnest(%(names)b::text[]) AS l (name)
WHERE (SELECT id FROM swather.lanes WHERE kind = %(kind)s AND name = l.name) IS NULL
ORDER BY l.name
ON CONFLICT DO NOTHING
