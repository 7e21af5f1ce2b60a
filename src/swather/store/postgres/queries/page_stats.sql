SELECT (SELECT count(*) FROM swather.pages),
       coalesce(sum(size_bytes), 0)::bigint, coalesce(sum(stored_bytes), 0)::bigint
FROM swather.bodies
