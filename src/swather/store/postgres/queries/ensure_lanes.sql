INSERT INTO swather.lanes AS o (kind, name, is_public)
SELECT %(kind)s, l.name, l.is_public
FROM unnest(%(names)b::text[], %(public)b::boolean[]) AS l (name, is_public)
WHERE (
    SELECT id FROM swather.lanes
    WHERE kind = %(kind)s AND name = l.name AND is_public IS NOT NULL
) IS NULL
ORDER BY l.name
ON CONFLICT (kind, name) DO UPDATE SET is_public = excluded.is_public WHERE o.is_public IS NULL
