SELECT (SELECT count(*) FROM pages), coalesce(sum(size_bytes), 0), coalesce(sum(stored_bytes), 0)
FROM bodies
