-- What scrapers remember across their runs.

-- name: remember
-- The last of several values wins. In order of the key, so that two writers lock rows in one order.
INSERT INTO swather.memories (scraper, key, value, at)
SELECT DISTINCT ON (r.scraper, g.key) r.scraper, g.key, g.value, (SELECT swather.clock())
FROM unnest(%(run_id)b::bigint[], %(key)b::text[], %(value)b::text[])
    WITH ORDINALITY AS g (run_id, key, value, number)
CROSS JOIN LATERAL (SELECT scraper FROM swather.runs WHERE id = g.run_id OFFSET 0) AS r
ORDER BY r.scraper, g.key, g.number DESC
ON CONFLICT (scraper, key) DO UPDATE SET value = excluded.value, at = excluded.at

-- name: recall
SELECT m.key, m.value
FROM unnest(%(keys)b::text[]) AS k (key)
CROSS JOIN LATERAL (
    SELECT key, value FROM swather.memories
    WHERE scraper = %(scraper)s AND key = k.key
      AND at >= swather.clock() - %(max_age_seconds)s * interval '1 second'
    OFFSET 0
) AS m

-- name: prune_memories
WITH gone AS (
    DELETE FROM swather.memories
    WHERE (scraper, key) IN (
        SELECT scraper, key FROM swather.memories
        WHERE at < swather.clock() - %(days)s * interval '1 day'
        LIMIT %(limit)s
    )
    RETURNING key
)
SELECT count(*) FROM gone
