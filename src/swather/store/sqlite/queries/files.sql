SELECT id, task_id, part, seq, name, sha256, size_bytes, media_type
FROM files
WHERE run_id = :run_id AND id > :after
ORDER BY id
LIMIT :limit
