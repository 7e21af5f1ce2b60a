-- Notices, the hooks that want them, and their deliveries.

-- name: add_notice
INSERT INTO swather.notices (uid, kind, key, scraper, run, data, at)
VALUES (
    replace(gen_random_uuid()::text, '-', ''), %(kind)s, %(key)s, %(scraper)s, %(run)s, %(data)s,
    swather.clock()
)
ON CONFLICT (key) DO NOTHING
RETURNING id

-- name: recent_breakers
SELECT count(*) FROM swather.notices
WHERE at > swather.clock() - interval '1 hour' AND kind = 'breaker_open' AND scraper = %(scraper)s

-- name: meet_hook
INSERT INTO swather.hooks (key, words, met_at) VALUES (%(hook)s, %(words)s, swather.clock())
ON CONFLICT (key) DO UPDATE SET words = excluded.words

-- name: due_delivery
SELECT notice_id FROM swather.deliveries
WHERE hook = %(hook)s AND state IN ('sending', 'waiting') AND due_at <= swather.clock()
ORDER BY due_at LIMIT 1
FOR UPDATE SKIP LOCKED

-- name: unclaimed_of_scrapers
SELECT n.id FROM swather.notices AS n
WHERE n.at >= greatest(
      swather.clock() - %(fresh_seconds)s * interval '1 second',
      (SELECT met_at FROM swather.hooks WHERE key = %(hook)s)
  )
  AND n.kind = ANY (%(kinds)s)
  AND n.scraper = ANY (%(scrapers)s)
  AND NOT EXISTS (
      SELECT FROM swather.deliveries AS d WHERE d.notice_id = n.id AND d.hook = %(hook)s
  )
ORDER BY n.id LIMIT 1

-- name: unclaimed_of_others
SELECT n.id FROM swather.notices AS n
WHERE n.at >= greatest(
      swather.clock() - %(fresh_seconds)s * interval '1 second',
      (SELECT met_at FROM swather.hooks WHERE key = %(hook)s)
  )
  AND n.kind = ANY (%(kinds)s)
  AND n.scraper <> ALL (%(scrapers)s)
  AND NOT EXISTS (
      SELECT FROM swather.deliveries AS d WHERE d.notice_id = n.id AND d.hook = %(hook)s
  )
ORDER BY n.id LIMIT 1

-- name: claim_notice
-- Nothing if another process was faster.
INSERT INTO swather.deliveries (notice_id, hook, words, state, attempts, due_at)
VALUES (
    %(notice_id)s, %(hook)s, %(words)s, 'sending', 1,
    swather.clock() + %(lease_seconds)s * interval '1 second'
)
ON CONFLICT (notice_id, hook) DO NOTHING
RETURNING notice_id

-- name: claim_delivery
-- The row is locked.
UPDATE swather.deliveries
SET state = 'sending', attempts = attempts + 1,
    due_at = swather.clock() + %(lease_seconds)s * interval '1 second'
WHERE notice_id = %(notice_id)s AND hook = %(hook)s

-- name: end_delivery
UPDATE swather.deliveries
SET state = %(state)s, error = %(error)s,
    due_at = swather.clock() + %(due_in_seconds)s * interval '1 second'
WHERE notice_id = %(notice_id)s AND hook = %(hook)s
  AND state = 'sending' AND attempts = %(attempts)s
RETURNING notice_id

-- name: notice_columns
SELECT n.id, n.uid, n.kind, n.at, n.scraper, n.run, n.data FROM swather.notices AS n

-- name: list_notices
-- include: notice_columns
ORDER BY n.id DESC LIMIT %(limit)s

-- name: delivery_rows
SELECT n.id, n.uid, n.kind, n.at, n.scraper, n.run, n.data,
       d.hook, d.words, d.state, d.attempts, d.due_at, d.error
FROM swather.deliveries AS d
JOIN swather.notices AS n ON n.id = d.notice_id

-- name: get_delivery
-- include: delivery_rows
WHERE d.notice_id = %(notice_id)s AND d.hook = %(hook)s

-- name: list_deliveries
-- include: delivery_rows
WHERE d.notice_id = ANY (%(notice_ids)s) ORDER BY d.notice_id DESC, d.words

-- name: retry_all_deliveries
UPDATE swather.deliveries SET state = 'waiting', attempts = 0, due_at = swather.clock()
WHERE state IN ('failed', 'waiting')
RETURNING notice_id

-- name: retry_deliveries
UPDATE swather.deliveries SET state = 'waiting', attempts = 0, due_at = swather.clock()
WHERE state IN ('failed', 'waiting') AND notice_id = ANY (%(notice_ids)s)
RETURNING notice_id

-- name: prune_notices
WITH gone AS (
    DELETE FROM swather.notices
    WHERE id IN (
        SELECT id FROM swather.notices
        WHERE at < swather.clock() - %(days)s * interval '1 day'
        LIMIT %(limit)s
    )
    RETURNING id
)
SELECT count(*) FROM gone
