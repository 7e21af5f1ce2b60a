-- Upkeep: the queue's own rules, sizes, settings of the server.

-- name: check
WITH places (task_id, place) AS MATERIALIZED (
    SELECT task_id, 'ready' FROM swather.ready
    UNION ALL SELECT task_id, 'scheduled' FROM swather.scheduled
    UNION ALL SELECT task_id, 'leased' FROM swather.leases
    UNION ALL SELECT task_id, state FROM swather.outcomes
),
counted (run_id, place, n) AS (
    SELECT t.run_id, p.place, count(*)
    FROM places AS p
    JOIN swather.tasks AS t ON t.id = p.task_id
    GROUP BY t.run_id, p.place
),
produced (run_id, name, n) AS (
    SELECT run_id, 'items', count(*) FROM swather.items GROUP BY run_id
    UNION ALL
    SELECT run_id, 'files', count(*) FROM swather.files GROUP BY run_id
    UNION ALL
    SELECT run_id, 'outdated', count(*) FROM swather.outdated_items GROUP BY run_id
    UNION ALL
    SELECT run_id, 'duplicates', count(*) FROM swather.item_heirs GROUP BY run_id
    UNION ALL
    SELECT run_id, 'rejected:' || reason, sum(n)::bigint FROM swather.rejections GROUP BY run_id, reason
)
(
    SELECT 'task in more than one place', task_id::text
    FROM places GROUP BY task_id HAVING count(*) > 1
    LIMIT 100
)
UNION ALL
(
    SELECT 'task in no place', t.id::text
    FROM swather.tasks AS t
    LEFT JOIN places AS p ON p.task_id = t.id
    WHERE p.task_id IS NULL
    LIMIT 100
)
UNION ALL
(
    SELECT 'place without a task', p.place || ' ' || p.task_id
    FROM places AS p
    LEFT JOIN swather.tasks AS t ON t.id = p.task_id
    WHERE t.id IS NULL
    LIMIT 100
)
UNION ALL
(
    SELECT 'task waits under a head or priority that is not its own', r.task_id::text
    FROM swather.ready AS r
    JOIN swather.tasks AS t ON t.id = r.task_id
    WHERE (r.head_id, r.priority) <> (t.head_id, t.priority)
    LIMIT 100
)
UNION ALL
(
    SELECT 'task under a head that its run does not have', t.id::text
    FROM swather.tasks AS t
    LEFT JOIN swather.heads AS h ON h.id = t.head_id AND h.run_id = t.run_id
    WHERE h.id IS NULL
    LIMIT 100
)
UNION ALL
(
    SELECT 'head of a lane that is not there', h.id::text
    FROM swather.heads AS h
    LEFT JOIN swather.lanes AS l ON l.id = h.lane_id AND l.kind = 'lane'
    WHERE l.id IS NULL
    LIMIT 100
)
UNION ALL
(
    SELECT 'head asleep as empty, but tasks wait', h.id::text
    FROM swather.heads AS h
    WHERE h.asleep = 'empty' AND EXISTS (SELECT FROM swather.ready AS r WHERE r.head_id = h.id)
    LIMIT 100
)
UNION ALL
(
    SELECT 'head whose best is less than what waits', h.id::text
    FROM swather.heads AS h
    WHERE EXISTS (
        SELECT FROM swather.ready AS r WHERE r.head_id = h.id AND r.priority > h.best
    )
    LIMIT 100
)
UNION ALL
(
    SELECT 'run does not know of a priority that it has', r.name
    FROM swather.runs AS r
    WHERE EXISTS (
        SELECT FROM swather.heads AS h
        WHERE h.run_id = r.id AND h.best > 0 AND r.priorities & (1 << h.best) = 0
    )
    LIMIT 100
)
UNION ALL
(
    SELECT 'lane whose pace in force is not what was set, learned and asked for', l.name
    FROM swather.lanes AS l
    WHERE every_seconds
          <> greatest(set_every_seconds, learned_every_seconds, crawl_delay_seconds)
    LIMIT 100
)
UNION ALL
(
    SELECT 'lane that does not know whether a breaker is open', l.name
    FROM swather.lanes AS l
    WHERE l.tripped <> EXISTS (SELECT FROM swather.breakers AS b WHERE b.lane_id = l.id)
    LIMIT 100
)
UNION ALL
(
    SELECT 'run with more tasks than its limit', r.name
    FROM swather.runs AS r
    WHERE r.task_limit < (SELECT count(*) FROM swather.tasks AS t WHERE t.run_id = r.id)
    LIMIT 100
)
UNION ALL
(
    SELECT 'page without its body', p.id::text
    FROM swather.pages AS p
    WHERE NOT EXISTS (SELECT FROM swather.bodies AS b WHERE b.sha256 = p.sha256)
    LIMIT 100
)
UNION ALL
(
    SELECT 'source whose failures do not add up', scraper || ' ' || source
    FROM swather.source_counts
    GROUP BY scraper, source
    HAVING coalesce(sum(n) FILTER (WHERE name = 'failed'), 0)
        <> coalesce(sum(n) FILTER (WHERE starts_with(name, 'error:')), 0)
    LIMIT 100
)
UNION ALL
(
    SELECT 'proxy in no list', p.id::text
    FROM swather.proxies AS p
    WHERE NOT EXISTS (SELECT FROM swather.proxy_sources AS s WHERE s.proxy_id = p.id)
    LIMIT 100
)
UNION ALL
(
    SELECT 'row of a proxy that is not there', place || ' ' || proxy_id
    FROM (
        SELECT 'proxy_sources' AS place, proxy_id FROM swather.proxy_sources
        UNION ALL SELECT 'proxy_sites', proxy_id FROM swather.proxy_sites
        UNION ALL SELECT 'proxy_leases', proxy_id FROM swather.proxy_leases
    ) AS r
    WHERE NOT EXISTS (SELECT FROM swather.proxies AS p WHERE p.id = r.proxy_id)
    LIMIT 100
)
UNION ALL
(
    SELECT 'disabled proxy that a worker has for itself', l.proxy_id::text
    FROM swather.proxy_leases AS l
    JOIN swather.proxies AS p ON p.id = l.proxy_id
    WHERE NOT p.enabled
    LIMIT 100
)
UNION ALL
(
    SELECT 'proxy with fewer requests than its sites', p.id::text
    FROM swather.proxies AS p
    JOIN swather.proxy_sites AS s ON s.proxy_id = p.id
    GROUP BY p.id
    HAVING p.successes < sum(s.successes) OR p.faults_proxy < sum(s.faults_proxy)
        OR p.faults_banned < sum(s.faults_banned) OR p.faults_timeout < sum(s.faults_timeout)
        OR p.faults_network < sum(s.faults_network)
    LIMIT 100
)
UNION ALL
(
    SELECT 'counter differs from the tables',
           'run ' || coalesce(k.run_id, c.run_id) || ' ' || coalesce(k.name, c.place) || ': '
           || coalesce(k.n, 0) || ' counted, ' || coalesce(c.n, 0) || ' there'
    FROM (
        SELECT run_id, name, sum(n) AS n
        FROM swather.counters
        WHERE name IN (
            'scheduled', 'ready', 'leased', 'completed', 'failed', 'cancelled', 'items', 'files',
            'outdated', 'duplicates'
        ) OR starts_with(name, 'rejected:')
        GROUP BY run_id, name
    ) AS k
    FULL JOIN (SELECT * FROM counted UNION ALL SELECT * FROM produced) AS c
        ON c.run_id = k.run_id AND c.place = k.name
    WHERE coalesce(k.n, 0) <> coalesce(c.n, 0)
    LIMIT 100
)

-- name: server_stats
SELECT current_setting('server_version'), pg_database_size(current_database()),
       (SELECT count(*) FROM swather.runs),
       (SELECT count(*) FROM swather.runs WHERE state = 'open'),
       (SELECT count(*) FROM swather.workers WHERE state = 'live'),
       (SELECT count(*) FROM swather.memories),
       (SELECT count(*) FROM swather.proxies),
       (
           SELECT max(extract(epoch FROM clock_timestamp() - xact_start))::float8
           FROM pg_stat_activity
           WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
       ),
       (
           SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
       )

-- name: server_settings
SELECT name, current_setting(name)
FROM unnest(%(names)s::text[]) AS s (name)
WHERE current_setting(name, true) IS NOT NULL

-- name: table_stats
SELECT s.relname, pg_total_relation_size(s.relid), pg_relation_size(s.relid),
       c.reltuples::bigint, s.n_live_tup, s.n_dead_tup,
       greatest(s.last_vacuum, s.last_autovacuum)
FROM pg_stat_user_tables AS s
JOIN pg_class AS c ON c.oid = s.relid
WHERE s.schemaname = 'swather'
ORDER BY s.relname

-- name: table_bytes
SELECT pg_total_relation_size(('swather.' || quote_ident(%(table)s))::regclass)

-- name: table_settings
SELECT c.relname, c.reloptions
FROM pg_class AS c
WHERE c.relnamespace = 'swather'::regnamespace AND c.relkind = 'r' AND c.reloptions IS NOT NULL
ORDER BY c.relname

-- name: wal_position
SELECT pg_current_wal_lsn()::text, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint
