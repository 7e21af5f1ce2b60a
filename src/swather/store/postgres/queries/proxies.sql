-- The proxy pool: its proxies, the lists they come from, their health, and who has one for itself.

-- name: pool_version
SELECT version, extract(epoch FROM swather.clock())::float8 FROM swather.proxy_pool

-- name: change_pool
UPDATE swather.proxy_pool SET version = version + 1 RETURNING version

-- name: pool_rows
SELECT p.id, p.url, p.tags, p.country, p.weight,
       p.successes + p.faults_proxy + p.faults_banned + p.faults_timeout + p.faults_network,
       extract(epoch FROM p.retry_at)::float8, l.worker_id
FROM swather.proxies AS p
LEFT JOIN swather.proxy_leases AS l ON l.proxy_id = p.id

-- name: pool
-- include: pool_rows
WHERE p.enabled ORDER BY p.id

-- name: pool_of_source
-- include: pool_rows
WHERE p.enabled
  AND EXISTS (
      SELECT FROM swather.proxy_sources AS s WHERE s.source = %(source)s AND s.proxy_id = p.id
  )
ORDER BY p.id

-- name: banned_proxies
SELECT proxy_id, site, extract(epoch FROM retry_at)::float8
FROM swather.proxy_sites
WHERE retry_at IS NOT NULL

-- name: proxies_by_key
SELECT key, id FROM swather.proxies WHERE key = ANY(%(key)b::text[])

-- name: proxy_keys
SELECT key, id FROM swather.proxies

-- name: add_proxies
INSERT INTO swather.proxies (key, url, added_at)
SELECT key, url, swather.clock()
FROM unnest(%(key)b::text[], %(url)b::text[]) WITH ORDINALITY AS g (key, url, place)
ORDER BY place
RETURNING key, id

-- name: set_proxy_sources
-- Only what changes is touched, so that `changed_at` says which source spoke last.
INSERT INTO swather.proxy_sources AS s (source, proxy_id, tags, country, weight, changed_at)
SELECT %(source)s, proxy_id, tags, country, weight, swather.clock()
FROM unnest(
    %(proxy_id)b::bigint[], %(tags)b::text[], %(country)b::text[], %(weight)b::float8[]
) AS g (proxy_id, tags, country, weight)
ON CONFLICT (source, proxy_id) DO UPDATE SET
    tags = excluded.tags, country = excluded.country, weight = excluded.weight,
    changed_at = excluded.changed_at
WHERE (s.tags, s.country, s.weight)
    IS DISTINCT FROM (excluded.tags, excluded.country, excluded.weight)

-- name: leave_source
DELETE FROM swather.proxy_sources
WHERE source = %(source)s AND proxy_id <> ALL(%(proxies)b::bigint[])
RETURNING proxy_id

-- name: traits_by_source
SELECT proxy_id, tags, country, weight
FROM swather.proxy_sources
WHERE proxy_id = ANY(%(proxies)b::bigint[])
ORDER BY proxy_id, changed_at DESC, source

-- name: proxy_traits
SELECT id, tags, country, weight
FROM swather.proxies
WHERE id = ANY(%(proxies)b::bigint[])
ORDER BY id
FOR NO KEY UPDATE

-- name: set_proxy_traits
UPDATE swather.proxies AS p
SET tags = g.tags, country = g.country, weight = g.weight
FROM unnest(
    %(proxy_id)b::bigint[], %(tags)b::text[], %(country)b::text[], %(weight)b::float8[]
) AS g (proxy_id, tags, country, weight)
WHERE p.id = g.proxy_id

-- name: lock_proxies
SELECT id FROM swather.proxies WHERE id = ANY(%(proxies)b::bigint[]) ORDER BY id FOR UPDATE

-- name: remove_proxies
DELETE FROM swather.proxies WHERE id = ANY(%(proxies)b::bigint[])

-- name: remove_proxy_sites
DELETE FROM swather.proxy_sites WHERE proxy_id = ANY(%(proxies)b::bigint[])

-- name: remove_proxy_sources
DELETE FROM swather.proxy_sources WHERE proxy_id = ANY(%(proxies)b::bigint[])

-- name: remove_proxy_leases
DELETE FROM swather.proxy_leases
WHERE proxy_id IN (
    SELECT proxy_id FROM swather.proxy_leases
    WHERE proxy_id = ANY(%(proxies)b::bigint[])
    ORDER BY proxy_id
    FOR UPDATE
)

-- name: proxy_health
-- Locked in one order; what belongs to a proxy is written under this lock.
SELECT id, successes, faults_proxy, faults_banned, faults_timeout, faults_network, latency_seconds,
       last_error, extract(epoch FROM last_used_at)::float8, failures,
       extract(epoch FROM retry_at)::float8, blacklistings,
       extract(epoch FROM probing_until)::float8, extract(epoch FROM swather.clock())::float8
FROM swather.proxies
WHERE id = ANY(%(proxies)b::bigint[])
ORDER BY id
FOR NO KEY UPDATE

-- name: site_health
SELECT s.proxy_id, s.site, successes, faults_proxy, faults_banned, faults_timeout, faults_network,
       latency_seconds, last_error, extract(epoch FROM last_used_at)::float8, failures,
       extract(epoch FROM retry_at)::float8, blacklistings,
       extract(epoch FROM probing_until)::float8
FROM unnest(%(proxy_id)b::bigint[], %(site)b::text[]) AS g (proxy_id, site)
JOIN swather.proxy_sites AS s ON s.proxy_id = g.proxy_id AND s.site = g.site

-- name: set_proxy_health
UPDATE swather.proxies AS p
SET successes = g.successes, faults_proxy = g.faults_proxy, faults_banned = g.faults_banned,
    faults_timeout = g.faults_timeout, faults_network = g.faults_network,
    latency_seconds = g.latency_seconds, last_error = g.last_error,
    last_used_at = to_timestamp(g.last_used_at), failures = g.failures,
    retry_at = to_timestamp(g.retry_at), blacklistings = g.blacklistings,
    probing_until = to_timestamp(g.probing_until)
FROM unnest(
    %(proxy_id)b::bigint[], %(site)b::text[], %(successes)b::bigint[], %(faults_proxy)b::bigint[],
    %(faults_banned)b::bigint[], %(faults_timeout)b::bigint[], %(faults_network)b::bigint[],
    %(latency_seconds)b::float8[], %(last_error)b::text[], %(last_used_at)b::float8[],
    %(failures)b::integer[], %(retry_at)b::float8[], %(blacklistings)b::integer[],
    %(probing_until)b::float8[]
) AS g (
    proxy_id, site, successes, faults_proxy, faults_banned, faults_timeout, faults_network,
    latency_seconds, last_error, last_used_at, failures, retry_at, blacklistings, probing_until
)
WHERE p.id = g.proxy_id

-- name: set_site_health
INSERT INTO swather.proxy_sites (
    proxy_id, site, successes, faults_proxy, faults_banned, faults_timeout, faults_network,
    latency_seconds, last_error, last_used_at, failures, retry_at, blacklistings, probing_until
)
SELECT proxy_id, site, successes, faults_proxy, faults_banned, faults_timeout, faults_network,
       latency_seconds, last_error, to_timestamp(last_used_at), failures, to_timestamp(retry_at),
       blacklistings, to_timestamp(probing_until)
FROM unnest(
    %(proxy_id)b::bigint[], %(site)b::text[], %(successes)b::bigint[], %(faults_proxy)b::bigint[],
    %(faults_banned)b::bigint[], %(faults_timeout)b::bigint[], %(faults_network)b::bigint[],
    %(latency_seconds)b::float8[], %(last_error)b::text[], %(last_used_at)b::float8[],
    %(failures)b::integer[], %(retry_at)b::float8[], %(blacklistings)b::integer[],
    %(probing_until)b::float8[]
) AS g (
    proxy_id, site, successes, faults_proxy, faults_banned, faults_timeout, faults_network,
    latency_seconds, last_error, last_used_at, failures, retry_at, blacklistings, probing_until
)
ON CONFLICT (proxy_id, site) DO UPDATE SET
    successes = excluded.successes, faults_proxy = excluded.faults_proxy,
    faults_banned = excluded.faults_banned, faults_timeout = excluded.faults_timeout,
    faults_network = excluded.faults_network, latency_seconds = excluded.latency_seconds,
    last_error = excluded.last_error, last_used_at = excluded.last_used_at,
    failures = excluded.failures, retry_at = excluded.retry_at,
    blacklistings = excluded.blacklistings, probing_until = excluded.probing_until

-- name: proxy_rows
SELECT p.id, p.url, p.tags, p.country, p.weight, p.enabled,
       extract(epoch FROM p.added_at)::float8, l.worker_id,
       p.successes, p.faults_proxy, p.faults_banned, p.faults_timeout, p.faults_network,
       p.latency_seconds, p.last_error, extract(epoch FROM p.last_used_at)::float8, p.failures,
       extract(epoch FROM p.retry_at)::float8, p.blacklistings,
       extract(epoch FROM p.probing_until)::float8
FROM swather.proxies AS p
LEFT JOIN swather.proxy_leases AS l ON l.proxy_id = p.id

-- name: list_proxies
-- include: proxy_rows
ORDER BY p.id

-- name: sources_of_proxies
SELECT proxy_id, source FROM swather.proxy_sources

-- name: sites_of_proxy
SELECT site, successes, faults_proxy, faults_banned, faults_timeout, faults_network,
       latency_seconds, last_error, extract(epoch FROM last_used_at)::float8, failures,
       extract(epoch FROM retry_at)::float8, blacklistings,
       extract(epoch FROM probing_until)::float8
FROM swather.proxy_sites
WHERE proxy_id = %(proxy_id)s
ORDER BY last_used_at DESC, site

-- name: sites_of_proxies
SELECT proxy_id, site, successes, faults_proxy, faults_banned, faults_timeout, faults_network,
       latency_seconds, last_error, extract(epoch FROM last_used_at)::float8, failures,
       extract(epoch FROM retry_at)::float8, blacklistings,
       extract(epoch FROM probing_until)::float8
FROM swather.proxy_sites
WHERE proxy_id = ANY(%(proxies)b::bigint[])
ORDER BY proxy_id, last_used_at DESC, site

-- name: enable_proxies
UPDATE swather.proxies
SET enabled = true, failures = 0, retry_at = NULL, probing_until = NULL
WHERE id = ANY(%(proxies)b::bigint[])

-- name: forgive_sites_of_proxies
UPDATE swather.proxy_sites SET failures = 0, retry_at = NULL, probing_until = NULL
WHERE proxy_id = ANY(%(proxies)b::bigint[])

-- name: disable_proxies
UPDATE swather.proxies SET enabled = false WHERE id = ANY(%(proxies)b::bigint[])

-- name: proxy_owner
SELECT worker_id FROM swather.proxy_leases WHERE proxy_id = %(proxy_id)s

-- name: lease_proxies
INSERT INTO swather.proxy_leases (proxy_id, worker_id)
SELECT g.proxy_id, %(worker_id)s FROM unnest(%(proxies)b::bigint[]) AS g (proxy_id)

-- name: end_proxy_leases
DELETE FROM swather.proxy_leases
WHERE proxy_id IN (
    SELECT proxy_id FROM swather.proxy_leases
    WHERE worker_id = %(worker_id)s
    ORDER BY proxy_id
    FOR UPDATE
)
RETURNING proxy_id

-- name: end_stray_proxy_leases
DELETE FROM swather.proxy_leases
WHERE proxy_id IN (
    SELECT proxy_id FROM swather.proxy_leases AS l
    WHERE NOT EXISTS (
        SELECT FROM swather.workers AS w WHERE w.id = l.worker_id AND w.state = 'live'
    )
    ORDER BY proxy_id
    FOR UPDATE
)
RETURNING proxy_id

-- name: forget_sites
-- What others write at the moment is left.
WITH gone AS (
    DELETE FROM swather.proxy_sites AS s
    USING (
        SELECT proxy_id, site
        FROM swather.proxy_sites
        JOIN (
            SELECT proxy_id, site, last_used_at,
                   row_number() OVER (PARTITION BY proxy_id ORDER BY last_used_at DESC) AS place
            FROM swather.proxy_sites
        ) AS o USING (proxy_id, site)
        WHERE o.last_used_at < swather.clock() - %(days)s * interval '1 day'
           OR o.place > %(max_sites)s
        LIMIT %(limit)s
        FOR UPDATE OF proxy_sites SKIP LOCKED
    ) AS old
    WHERE s.proxy_id = old.proxy_id AND s.site = old.site
    RETURNING 1
)
SELECT count(*) FROM gone

-- name: proxy_urls
SELECT id, key, url FROM swather.proxies ORDER BY id
