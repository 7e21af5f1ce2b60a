INSERT INTO bodies (sha256, encoding, size_bytes, stored_bytes, content, kept_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (sha256) DO UPDATE SET kept_at = excluded.kept_at WHERE kept_at < ?7
