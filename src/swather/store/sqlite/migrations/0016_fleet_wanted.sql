-- How many workers the waiting work can use: for an autoscaler.

-- A row for each open run. Lanes that several runs share are allotted to the oldest first, so that the
-- sum over runs is within their limits. Of each run 500 heads are looked at, and 1,000 ready tasks of
-- each: a run that has more lanes is not limited by them.
CREATE VIEW v_fleet_demand AS
WITH pace AS MATERIALIZED (
    SELECT coalesce(avg(json_extract(statistics, '$.average_seconds')), 1.0) AS task_seconds
    FROM workers
    WHERE state = 'live' AND kind = 'worker'
      AND json_type(statistics, '$.average_seconds') IN ('integer', 'real')
),
soon AS MATERIALIZED (
    SELECT (julianday('now') - 2440587.5) * 86400.0 + 60.0 AS at
),
opened AS MATERIALIZED (
    SELECT id, name, scraper, scraper_lane_id, lane_in_flight * egresses AS in_flight,
           lane_every_seconds / egresses AS every_seconds, rate_is_default, paused,
           iif(
               paused,
               0,
               coalesce(
                   (SELECT sum(n) FROM counters AS c WHERE c.run_id = r.id AND c.name = 'ready'), 0
               )
           ) AS ready,
           coalesce(
               (SELECT sum(n) FROM counters AS c WHERE c.run_id = r.id AND c.name = 'leased'), 0
           ) AS leased
    FROM runs AS r
    WHERE state = 'open'
),
-- SQLite has no LATERAL: a subquery on the right of IN stands for it.
parts AS (
    SELECT o.id AS run_id, h.id AS head_id,
           (SELECT count(*) FROM (SELECT 1 FROM ready WHERE head_id = h.id LIMIT 1000)) AS n,
           'ready' AS state
    FROM opened AS o
    CROSS JOIN heads AS h ON h.id IN (
        SELECT x.id FROM heads AS x INDEXED BY heads_wake
        WHERE x.run_id = o.id AND x.asleep <> 'empty'
          AND EXISTS (SELECT 1 FROM ready WHERE head_id = x.id)
        LIMIT 500
    )
    WHERE NOT o.paused
    UNION ALL
    SELECT o.id, s.head_id, 1, 'soon'
    FROM opened AS o
    CROSS JOIN scheduled AS s ON s.task_id IN (
        SELECT x.task_id FROM scheduled AS x INDEXED BY scheduled_run
        WHERE x.run_id = o.id AND x.due_at <= (SELECT at FROM soon)
        LIMIT 1000
    )
    WHERE NOT o.paused
    UNION ALL
    SELECT run_id, head_id, count(*), 'leased' FROM leases GROUP BY run_id, head_id
),
looked AS MATERIALIZED (
    SELECT p.run_id, p.head_id, h.lane_id, h.partition, sum(p.n) AS tasks,
           sum(iif(p.state = 'ready', p.n, 0)) AS ready,
           sum(iif(p.state = 'soon', p.n, 0)) AS soon
    FROM parts AS p
    JOIN heads AS h ON h.id = p.head_id
    GROUP BY p.run_id, p.head_id
),
-- What paces a lane or a scraper as a whole: 'slots' of it can be used at once. A rate needs as many
-- as start while one task runs, and half as many again because tasks differ.
paced AS MATERIALIZED (
    SELECT id, is_public,
           overrides AND set_every_seconds > 0 AS sets_rate,
           overrides AND in_flight IS NOT NULL AS sets_in_flight,
           iif(
               paused OR coalesce(cool_until > (SELECT at FROM soon), 0),
               0,
               min(
                   coalesce(in_flight, 1000000000),
                   iif(
                       every_seconds > 0,
                       ceil(min(1.5 * (SELECT task_seconds FROM pace) / every_seconds, 1e9)),
                       1000000000
                   )
               )
           ) AS slots
    FROM lanes
    WHERE id IN (SELECT lane_id FROM looked UNION SELECT scraper_lane_id FROM opened)
),
limited AS (
    SELECT k.run_id, k.head_id, k.partition, k.lane_id, k.ready, k.soon,
           CASE
               WHEN EXISTS (
                   SELECT 1 FROM breakers
                   WHERE lane_id = k.lane_id AND scraper_id = o.scraper_lane_id
               ) THEN 1
               -- More than were counted.
               WHEN k.ready >= 1000 THEN o.ready + o.leased
               ELSE k.tasks
           END AS tasks,
           CASE
               WHEN k.lane_id = 0 THEN 1000000000
               ELSE min(
                   l.slots,
                   iif(l.sets_in_flight, 1000000000, coalesce(o.in_flight, 1000000000)),
                   CASE
                       WHEN l.sets_rate OR o.every_seconds <= 0 THEN 1000000000
                       WHEN o.rate_is_default AND NOT coalesce(l.is_public, 0) THEN 1000000000
                       ELSE ceil(min(1.5 * (SELECT task_seconds FROM pace) / o.every_seconds, 1e9))
                   END
               )
           END AS slots
    FROM looked AS k
    JOIN opened AS o ON o.id = k.run_id
    JOIN paced AS l ON l.id = k.lane_id
),
ranked AS (
    SELECT run_id, partition, tasks, ready, soon,
           min(slots) OVER (PARTITION BY lane_id) AS slots,
           sum(tasks) OVER (
               PARTITION BY lane_id ORDER BY run_id, head_id ROWS UNBOUNDED PRECEDING
           ) AS upto
    FROM limited
),
summed AS (
    SELECT run_id, sum(min(slots, upto) - min(slots, upto - tasks)) AS slots,
           sum(ready > 0) AS heads, sum(soon) AS soon,
           iif(min(partition) <> '' AND count(*) < 500, count(DISTINCT partition), NULL) AS partitions
    FROM ranked
    GROUP BY run_id
),
told AS (
    SELECT o.id, o.name, o.scraper, o.scraper_lane_id, s.partitions,
           o.ready + o.leased + coalesce(s.soon, 0) AS backlog,
           iif(
               s.heads >= 500,
               o.ready + o.leased + s.soon,
               min(coalesce(s.slots, 0), o.ready + o.leased + coalesce(s.soon, 0))
           ) AS slots,
           l.slots AS scraper_slots
    FROM opened AS o
    LEFT JOIN summed AS s ON s.run_id = o.id
    JOIN paced AS l ON l.id = o.scraper_lane_id
),
shared AS (
    SELECT *, sum(slots) OVER (
               PARTITION BY scraper_lane_id ORDER BY id ROWS UNBOUNDED PRECEDING
           ) AS upto
    FROM told
)
SELECT id AS run_id, name AS run, scraper, CAST(backlog AS INTEGER) AS backlog,
       CAST(min(scraper_slots, upto) - min(scraper_slots, upto - slots) AS INTEGER) AS usable_slots,
       iif(backlog > 0, partitions, NULL) AS partitions
FROM shared;

-- One row. Where tasks_per_worker and concurrency are not in the settings row, the defaults count.
CREATE VIEW v_fleet_wanted AS
SELECT backlog, usable_slots, partitions, tasks_per_worker, slots_per_worker,
       iif(
           backlog = 0,
           0,
           min(
               (backlog + tasks_per_worker - 1) / tasks_per_worker,
               (usable_slots + slots_per_worker - 1) / slots_per_worker,
               coalesce(partitions, 1000000000)
           )
       ) AS wanted
FROM (
    SELECT coalesce(sum(backlog), 0) AS backlog, coalesce(sum(usable_slots), 0) AS usable_slots,
           iif(count(*) = count(partitions), sum(partitions), NULL) AS partitions
    FROM v_fleet_demand
    WHERE backlog > 0
)
CROSS JOIN (
    SELECT coalesce(
               (SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'tasks_per_worker'), 1000
           ) AS tasks_per_worker,
           coalesce(
               (SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'concurrency'), 10
           ) AS slots_per_worker
);
