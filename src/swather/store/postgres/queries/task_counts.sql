SELECT name, sum(n)::bigint
FROM swather.counters
WHERE name IN ('scheduled', 'ready', 'leased', 'completed', 'failed', 'cancelled')
GROUP BY name
HAVING sum(n) <> 0
