-- Upkeep: the queue's own rules, and how much there is.

-- name: check
WITH places (task_id, place) AS (
    SELECT task_id, 'ready' FROM ready
    UNION ALL SELECT task_id, 'scheduled' FROM scheduled
    UNION ALL SELECT task_id, 'leased' FROM leases
    UNION ALL SELECT task_id, state FROM outcomes
),
counted (run_id, place, n) AS (
    SELECT t.run_id, p.place, count(*) FROM places AS p JOIN tasks AS t ON t.id = p.task_id
    GROUP BY t.run_id, p.place
    UNION ALL
    SELECT run_id, 'items', count(*) FROM items GROUP BY run_id
    UNION ALL
    SELECT run_id, 'files', count(*) FROM files GROUP BY run_id
    UNION ALL
    SELECT run_id, 'outdated', count(*) FROM outdated_items GROUP BY run_id
    UNION ALL
    SELECT run_id, 'duplicates', count(*) FROM item_heirs GROUP BY run_id
    UNION ALL
    SELECT run_id, 'rejected:' || reason, sum(n) FROM rejections GROUP BY run_id, reason
)
SELECT 'task in more than one place', CAST(task_id AS TEXT) FROM places
GROUP BY task_id HAVING count(*) > 1
UNION ALL
SELECT 'task in no place', CAST(t.id AS TEXT) FROM tasks AS t
WHERE NOT EXISTS (SELECT 1 FROM places AS p WHERE p.task_id = t.id)
UNION ALL
SELECT 'place without a task', p.place || ' ' || p.task_id FROM places AS p
WHERE NOT EXISTS (SELECT 1 FROM tasks AS t WHERE t.id = p.task_id)
UNION ALL
SELECT 'task waits under a head or priority that is not its own', CAST(r.task_id AS TEXT)
FROM ready AS r JOIN tasks AS t ON t.id = r.task_id
WHERE (r.head_id, r.priority) <> (t.head_id, t.priority)
UNION ALL
SELECT 'task under a head that its run does not have', CAST(t.id AS TEXT) FROM tasks AS t
WHERE NOT EXISTS (SELECT 1 FROM heads AS h WHERE h.id = t.head_id AND h.run_id = t.run_id)
UNION ALL
SELECT 'head of a lane that is not there', CAST(h.id AS TEXT) FROM heads AS h
WHERE NOT EXISTS (SELECT 1 FROM lanes AS l WHERE l.id = h.lane_id AND l.kind = 'lane')
UNION ALL
SELECT 'head asleep as empty, but tasks wait', CAST(h.id AS TEXT) FROM heads AS h
WHERE h.asleep = 'empty' AND EXISTS (SELECT 1 FROM ready AS r WHERE r.head_id = h.id)
UNION ALL
SELECT 'lane whose pace in force is not what was set, learned and asked for', l.name
FROM lanes AS l
WHERE every_seconds <> max(
    set_every_seconds, coalesce(learned_every_seconds, 0), coalesce(crawl_delay_seconds, 0)
)
UNION ALL
SELECT 'lane that does not know whether a breaker is open', l.name FROM lanes AS l
WHERE l.tripped <> EXISTS (SELECT 1 FROM breakers AS b WHERE b.lane_id = l.id)
UNION ALL
SELECT 'run with more tasks than its limit', r.name FROM runs AS r
WHERE r.task_limit < (SELECT count(*) FROM tasks AS t WHERE t.run_id = r.id)
UNION ALL
SELECT 'page without its body', CAST(p.id AS TEXT) FROM pages AS p
WHERE NOT EXISTS (SELECT 1 FROM bodies AS b WHERE b.sha256 = p.sha256)
UNION ALL
SELECT 'source whose failures do not add up', scraper || ' ' || source
FROM source_counts
GROUP BY scraper, source
HAVING sum(iif(name = 'failed', n, 0)) <> sum(iif(name GLOB 'error:*', n, 0))
UNION ALL
SELECT 'proxy in no list', CAST(p.id AS TEXT) FROM proxies AS p
WHERE NOT EXISTS (SELECT 1 FROM proxy_sources AS s WHERE s.proxy_id = p.id)
UNION ALL
SELECT 'row of a proxy that is not there', place || ' ' || proxy_id
FROM (
    SELECT 'proxy_sources' AS place, proxy_id FROM proxy_sources
    UNION ALL SELECT 'proxy_sites', proxy_id FROM proxy_sites
    UNION ALL SELECT 'proxy_leases', proxy_id FROM proxy_leases
)
WHERE proxy_id NOT IN (SELECT id FROM proxies)
UNION ALL
SELECT 'disabled proxy that a worker has for itself', CAST(l.proxy_id AS TEXT)
FROM proxy_leases AS l
JOIN proxies AS p ON p.id = l.proxy_id
WHERE NOT p.enabled
UNION ALL
SELECT 'proxy with fewer requests than its sites', CAST(p.id AS TEXT)
FROM proxies AS p
JOIN proxy_sites AS s ON s.proxy_id = p.id
GROUP BY p.id
HAVING p.successes < sum(s.successes) OR p.faults_proxy < sum(s.faults_proxy)
    OR p.faults_banned < sum(s.faults_banned) OR p.faults_timeout < sum(s.faults_timeout)
    OR p.faults_network < sum(s.faults_network)
UNION ALL
SELECT 'counter differs from the tables',
       'run ' || coalesce(k.run_id, c.run_id) || ' ' || coalesce(k.name, c.place) || ': '
       || coalesce(k.n, 0) || ' counted, ' || coalesce(c.n, 0) || ' there'
FROM (
    SELECT run_id, name, n FROM counters
    WHERE name IN (
        'scheduled', 'ready', 'leased', 'completed', 'failed', 'cancelled', 'items', 'files',
        'outdated', 'duplicates'
    ) OR name GLOB 'rejected:*'
) AS k
FULL JOIN counted AS c ON c.run_id = k.run_id AND c.place = k.name
WHERE coalesce(k.n, 0) <> coalesce(c.n, 0)
LIMIT 100

-- name: queue_stats
SELECT (SELECT count(*) FROM runs),
       (SELECT count(*) FROM runs WHERE state = 'open'),
       (SELECT count(*) FROM workers WHERE state = 'live'),
       (SELECT count(*) FROM memories),
       (SELECT count(*) FROM proxies)

-- name: any_table
SELECT 1 FROM sqlite_schema LIMIT 1
