INSERT INTO swather.allowed_hosts (run_id, host, port)
SELECT %(run_id)s, h.host, h.port
FROM unnest(%(hosts)b::text[], %(ports)b::integer[]) AS h (host, port) ORDER BY h.host, h.port
ON CONFLICT DO NOTHING
