SELECT c.relname, c.reloptions
FROM pg_class AS c
WHERE c.relnamespace = 'swather'::regnamespace AND c.relkind = 'r' AND c.reloptions IS NOT NULL
ORDER BY c.relname
