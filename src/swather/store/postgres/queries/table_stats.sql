SELECT s.relname, pg_total_relation_size(s.relid), pg_relation_size(s.relid),
       c.reltuples::bigint, s.n_live_tup, s.n_dead_tup,
       greatest(s.last_vacuum, s.last_autovacuum)
FROM pg_stat_user_tables AS s
JOIN pg_class AS c ON c.oid = s.relid
WHERE s.schemaname = 'swather'
ORDER BY s.relname
