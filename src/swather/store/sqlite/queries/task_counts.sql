SELECT name, sum(n) FROM counters
WHERE name IN ('scheduled', 'ready', 'leased', 'completed', 'failed', 'cancelled')
GROUP BY name
