UPDATE partitions SET owner_id = :worker_id
WHERE run_id = :run_id AND owner_id IS NULL
  AND name IN (SELECT value FROM json_each(:names))
