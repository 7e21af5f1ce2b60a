-- Notices, the hooks that want them, and their deliveries.

-- name: add_notice
INSERT INTO notices (uid, kind, key, scraper, run, data, at)
VALUES (lower(hex(randomblob(16))), :kind, :key, :scraper, :run, :data, :now)
ON CONFLICT (key) DO NOTHING

-- name: recent_breakers
SELECT count(*) FROM notices WHERE at > :since AND kind = 'breaker_open' AND scraper = :scraper

-- name: meet_hook
INSERT INTO hooks (key, words, met_at) VALUES (:hook, :words, :now)
ON CONFLICT (key) DO UPDATE SET words = excluded.words

-- name: due_delivery
SELECT notice_id FROM deliveries
WHERE hook = :hook AND state IN ('sending', 'waiting') AND due_at <= :now
ORDER BY due_at LIMIT 1

-- name: unclaimed_of_scrapers
SELECT n.id FROM notices AS n
WHERE n.at >= max(:fresh_since, (SELECT met_at FROM hooks WHERE key = :hook))
  AND n.kind IN (SELECT value FROM json_each(:kinds))
  AND n.scraper IN (SELECT value FROM json_each(:scrapers))
  AND NOT EXISTS (SELECT 1 FROM deliveries AS d WHERE d.notice_id = n.id AND d.hook = :hook)
ORDER BY n.id LIMIT 1

-- name: unclaimed_of_others
SELECT n.id FROM notices AS n
WHERE n.at >= max(:fresh_since, (SELECT met_at FROM hooks WHERE key = :hook))
  AND n.kind IN (SELECT value FROM json_each(:kinds))
  AND n.scraper NOT IN (SELECT value FROM json_each(:scrapers))
  AND NOT EXISTS (SELECT 1 FROM deliveries AS d WHERE d.notice_id = n.id AND d.hook = :hook)
ORDER BY n.id LIMIT 1

-- name: claim_delivery
INSERT INTO deliveries (notice_id, hook, words, state, attempts, due_at)
VALUES (:notice_id, :hook, :words, 'sending', 1, :until)
ON CONFLICT (notice_id, hook) DO UPDATE SET
    state = 'sending', attempts = attempts + 1, due_at = excluded.due_at

-- name: end_delivery
UPDATE deliveries SET state = :state, error = :error, due_at = :due_at
WHERE notice_id = :notice_id AND hook = :hook AND state = 'sending' AND attempts = :attempts

-- name: notice_columns
SELECT n.id, n.uid, n.kind, n.at, n.scraper, n.run, n.data FROM notices AS n

-- name: list_notices
-- include: notice_columns
ORDER BY n.id DESC LIMIT ?

-- name: delivery_rows
SELECT n.id, n.uid, n.kind, n.at, n.scraper, n.run, n.data,
       d.hook, d.words, d.state, d.attempts, d.due_at, d.error
FROM deliveries AS d
JOIN notices AS n ON n.id = d.notice_id

-- name: get_delivery
-- include: delivery_rows
WHERE d.notice_id = :notice_id AND d.hook = :hook

-- name: list_deliveries
-- include: delivery_rows
WHERE d.notice_id IN carray(?) ORDER BY d.notice_id DESC, d.words

-- name: retry_all_deliveries
UPDATE deliveries SET state = 'waiting', attempts = 0, due_at = :now
WHERE state IN ('failed', 'waiting')

-- name: retry_deliveries
UPDATE deliveries SET state = 'waiting', attempts = 0, due_at = ?1
WHERE state IN ('failed', 'waiting') AND notice_id IN carray(?2)
