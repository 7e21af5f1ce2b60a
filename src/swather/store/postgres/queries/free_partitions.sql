UPDATE swather.partitions AS p
SET owner_id = NULL
WHERE owner_id IS NOT NULL
  AND NOT EXISTS (SELECT FROM swather.workers AS w WHERE w.id = p.owner_id AND w.state = 'live')
