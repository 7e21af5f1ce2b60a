SELECT kept_at, sha256, EXISTS (SELECT 1 FROM pages AS p WHERE p.sha256 = b.sha256)
FROM bodies AS b
WHERE kept_at >= ?1 AND (kept_at > ?1 OR sha256 > ?2) AND kept_at < ?3
ORDER BY kept_at, sha256
LIMIT ?4
