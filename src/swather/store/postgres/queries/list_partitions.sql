SELECT p.name, p.owner_id, w.name
FROM swather.partitions AS p
LEFT JOIN swather.workers AS w ON w.id = p.owner_id
WHERE p.run_id = %(run_id)s
ORDER BY p.name
