-- What scrapers remember across their runs.

-- name: remember
INSERT INTO memories (scraper, key, value, at)
SELECT scraper, ?2, ?3, ?4 FROM runs WHERE id = ?1
ON CONFLICT (scraper, key) DO UPDATE SET value = excluded.value, at = excluded.at

-- name: recall
SELECT key, value FROM memories WHERE scraper = ? AND key = ? AND at >= ?
