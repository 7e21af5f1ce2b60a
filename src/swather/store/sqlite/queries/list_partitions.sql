SELECT p.name, p.owner_id, w.name
FROM partitions AS p
LEFT JOIN workers AS w ON w.id = p.owner_id
WHERE p.run_id = :run_id
ORDER BY p.name
