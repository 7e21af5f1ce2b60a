INSERT INTO swather.partitions (run_id, name)
SELECT %(run_id)s, p.name FROM unnest(%(names)b::text[]) AS p (name) ORDER BY p.name
ON CONFLICT DO NOTHING
