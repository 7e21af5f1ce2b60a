SELECT kept_at, sha256,
       (SELECT p.id FROM swather.pages AS p WHERE p.sha256 = b.sha256 LIMIT 1) IS NOT NULL
FROM swather.bodies AS b
WHERE (kept_at, sha256) > (%(after)s, %(after_sha256)b::bytea)
  AND kept_at < swather.clock() - %(seconds)s * interval '1 second'
ORDER BY kept_at, sha256
LIMIT %(limit)s
