SELECT name FROM swather.partitions
WHERE run_id = %(run_id)s AND owner_id = %(worker_id)s
ORDER BY name
