INSERT INTO swather.counters (run_id, name, n)
SELECT c.* FROM unnest(%(run_id)b::bigint[], %(name)b::text[], %(n)b::bigint[]) AS c
