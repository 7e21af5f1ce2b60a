-- In order of the hash, so that two who keep the same bodies wait for each other in one order.
INSERT INTO swather.bodies AS b (
    sha256, encoding, size_bytes, stored_bytes, content, kept_at
)
SELECT g.*, (SELECT swather.clock())
FROM unnest(
    %(sha256)b::bytea[], %(encoding)b::text[], %(size_bytes)b::bigint[], %(stored_bytes)b::bigint[],
    %(content)b::bytea[]
) AS g
ORDER BY 1
ON CONFLICT (sha256) DO UPDATE SET kept_at = excluded.kept_at
WHERE b.kept_at < (SELECT swather.clock()) - %(touch_seconds)s * interval '1 second'
