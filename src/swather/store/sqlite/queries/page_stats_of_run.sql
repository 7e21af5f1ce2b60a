SELECT (SELECT count(*) FROM pages WHERE run_id = :run_id),
       coalesce(sum(size_bytes), 0), coalesce(sum(stored_bytes), 0)
FROM bodies
WHERE sha256 IN (SELECT sha256 FROM pages WHERE run_id = :run_id)
