SELECT (SELECT count(*) FROM swather.pages WHERE run_id = %(run_id)s),
       coalesce(sum(size_bytes), 0)::bigint, coalesce(sum(stored_bytes), 0)::bigint
FROM swather.bodies
WHERE sha256 IN (SELECT sha256 FROM swather.pages WHERE run_id = %(run_id)s)
