SELECT id FROM swather.lanes
WHERE learned_at < swather.clock() - %(seconds)s * interval '1 second'
ORDER BY learned_at
LIMIT 1000
