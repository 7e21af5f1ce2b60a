-- The proxy pool: its proxies, the lists they come from, their health, and who has one for itself.

-- name: pool_version
SELECT version FROM proxy_pool

-- name: change_pool
UPDATE proxy_pool SET version = version + 1 RETURNING version

-- name: pool_rows
SELECT p.id, p.url, p.tags, p.country, p.weight,
       p.successes + p.faults_proxy + p.faults_banned + p.faults_timeout + p.faults_network,
       p.retry_at, l.worker_id
FROM proxies AS p
LEFT JOIN proxy_leases AS l ON l.proxy_id = p.id

-- name: pool
-- include: pool_rows
WHERE p.enabled ORDER BY p.id

-- name: pool_of_source
-- include: pool_rows
WHERE p.enabled
  AND EXISTS (SELECT 1 FROM proxy_sources AS s WHERE s.source = :source AND s.proxy_id = p.id)
ORDER BY p.id

-- name: banned_proxies
SELECT proxy_id, site, retry_at FROM proxy_sites WHERE retry_at IS NOT NULL

-- name: proxies_by_key
SELECT key, id FROM proxies

-- name: add_proxy
INSERT INTO proxies (key, url, added_at) VALUES (?, ?, ?) RETURNING key, id

-- name: set_proxy_source
-- Only what changes is touched, so that `changed_at` says which source spoke last.
INSERT INTO proxy_sources AS s (source, proxy_id, tags, country, weight, changed_at)
VALUES (:source, :proxy_id, :tags, :country, :weight, :now)
ON CONFLICT (source, proxy_id) DO UPDATE SET
    tags = excluded.tags, country = excluded.country, weight = excluded.weight,
    changed_at = excluded.changed_at
WHERE (s.tags, s.country) <> (excluded.tags, excluded.country) OR s.weight IS NOT excluded.weight

-- name: proxies_of_source
SELECT proxy_id FROM proxy_sources WHERE source = ?

-- name: leave_source
DELETE FROM proxy_sources WHERE source = ? AND proxy_id = ?

-- name: sources_of_proxy
SELECT proxy_id, tags, country, weight FROM proxy_sources WHERE proxy_id = ?
ORDER BY changed_at DESC, source

-- name: proxy_traits
SELECT id, tags, country, weight FROM proxies WHERE id = ?

-- name: set_proxy_traits
UPDATE proxies SET tags = :tags, country = :country, weight = :weight WHERE id = :proxy_id

-- name: remove_proxy
DELETE FROM proxies WHERE id = ? RETURNING id

-- name: remove_proxy_sites
DELETE FROM proxy_sites WHERE proxy_id = ?

-- name: remove_proxy_sources
DELETE FROM proxy_sources WHERE proxy_id = ?

-- name: remove_proxy_lease
DELETE FROM proxy_leases WHERE proxy_id = ?

-- name: proxy_health
SELECT id, successes, faults_proxy, faults_banned, faults_timeout, faults_network, latency_seconds,
       last_error, last_used_at, failures, retry_at, blacklistings, probing_until
FROM proxies
WHERE id = ?

-- name: site_health
SELECT proxy_id, site, successes, faults_proxy, faults_banned, faults_timeout, faults_network,
       latency_seconds, last_error, last_used_at, failures, retry_at, blacklistings, probing_until
FROM proxy_sites
WHERE proxy_id = :proxy_id AND site = :site

-- name: set_proxy_health
UPDATE proxies
SET successes = :successes, faults_proxy = :faults_proxy, faults_banned = :faults_banned,
    faults_timeout = :faults_timeout, faults_network = :faults_network,
    latency_seconds = :latency_seconds, last_error = :last_error, last_used_at = :last_used_at,
    failures = :failures, retry_at = :retry_at, blacklistings = :blacklistings,
    probing_until = :probing_until
WHERE id = :proxy_id

-- name: set_site_health
INSERT OR REPLACE INTO proxy_sites (
    proxy_id, site, successes, faults_proxy, faults_banned, faults_timeout, faults_network,
    latency_seconds, last_error, last_used_at, failures, retry_at, blacklistings, probing_until
)
VALUES (
    :proxy_id, :site, :successes, :faults_proxy, :faults_banned, :faults_timeout, :faults_network,
    :latency_seconds, :last_error, :last_used_at, :failures, :retry_at, :blacklistings,
    :probing_until
)

-- name: proxy_rows
SELECT p.id, p.url, p.tags, p.country, p.weight, p.enabled, p.added_at, l.worker_id,
       p.successes, p.faults_proxy, p.faults_banned, p.faults_timeout, p.faults_network,
       p.latency_seconds, p.last_error, p.last_used_at, p.failures, p.retry_at, p.blacklistings,
       p.probing_until
FROM proxies AS p
LEFT JOIN proxy_leases AS l ON l.proxy_id = p.id

-- name: list_proxies
-- include: proxy_rows
ORDER BY p.id

-- name: sources_of_proxies
SELECT proxy_id, source FROM proxy_sources

-- name: sites_of_proxy
SELECT site, successes, faults_proxy, faults_banned, faults_timeout, faults_network,
       latency_seconds, last_error, last_used_at, failures, retry_at, blacklistings, probing_until
FROM proxy_sites
WHERE proxy_id = ?
ORDER BY last_used_at DESC, site

-- name: enable_proxy
UPDATE proxies SET enabled = 1, failures = 0, retry_at = NULL, probing_until = NULL WHERE id = ?
RETURNING id

-- name: forgive_sites_of_proxy
UPDATE proxy_sites SET failures = 0, retry_at = NULL, probing_until = NULL WHERE proxy_id = ?

-- name: disable_proxy
UPDATE proxies SET enabled = 0 WHERE id = ? RETURNING id

-- name: proxy_owner
SELECT worker_id FROM proxy_leases WHERE proxy_id = ?

-- name: lease_proxy
INSERT INTO proxy_leases (proxy_id, worker_id) VALUES (?, ?)

-- name: end_proxy_leases
DELETE FROM proxy_leases WHERE worker_id = ?

-- name: end_stray_proxy_leases
DELETE FROM proxy_leases
WHERE NOT EXISTS (
    SELECT 1 FROM workers AS w WHERE w.id = proxy_leases.worker_id AND w.state = 'live'
)

-- name: forget_sites
DELETE FROM proxy_sites
WHERE rowid IN (
    SELECT id FROM (
        SELECT rowid AS id, last_used_at,
               row_number() OVER (PARTITION BY proxy_id ORDER BY last_used_at DESC) AS place
        FROM proxy_sites
    )
    WHERE last_used_at < :before OR place > :max_sites
    LIMIT :limit
)

-- name: proxy_urls
SELECT id, key, url FROM proxies ORDER BY id
