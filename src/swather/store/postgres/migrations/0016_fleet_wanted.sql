-- How many workers the waiting work can use: for an autoscaler, ours or KEDA.

-- A row for each open run. Lanes that several runs share are allotted to the oldest first, so that the
-- sum over runs is within their limits. Of each run 500 heads are looked at, and 1,000 ready tasks of
-- each: a run that has more lanes is not limited by them.
CREATE VIEW swather.v_fleet_demand AS
WITH pace AS MATERIALIZED (
    SELECT coalesce(avg((statistics::jsonb ->> 'average_seconds')::float8), 1.0) AS task_seconds
    FROM swather.workers
    WHERE state = 'live' AND kind = 'worker'
      AND jsonb_typeof(statistics::jsonb -> 'average_seconds') = 'number'
),
soon AS MATERIALIZED (
    SELECT swather.clock() + interval '1 minute' AS at
),
opened AS MATERIALIZED (
    SELECT r.id, r.name, r.scraper, r.scraper_lane_id,
           r.lane_in_flight * r.egresses AS in_flight,
           r.lane_every_seconds / r.egresses AS every_seconds, r.rate_is_default,
           CASE WHEN r.paused THEN 0 ELSE coalesce(c.ready, 0) END AS ready,
           coalesce(c.leased, 0) AS leased, r.paused
    FROM swather.runs AS r
    CROSS JOIN LATERAL (
        SELECT sum(n) FILTER (WHERE name = 'ready') AS ready,
               sum(n) FILTER (WHERE name = 'leased') AS leased
        FROM swather.counters
        WHERE run_id = r.id
    ) AS c
    WHERE r.state = 'open'
),
parts AS (
    SELECT o.id AS run_id, h.id AS head_id, h.n, 'ready' AS state
    FROM opened AS o
    CROSS JOIN LATERAL (
        SELECT id, (
                   SELECT count(*)
                   FROM (SELECT FROM swather.ready WHERE head_id = heads.id LIMIT 1000) AS counted
               ) AS n
        FROM swather.heads
        WHERE run_id = o.id AND asleep <> 'empty'
          AND (SELECT task_id FROM swather.ready WHERE head_id = heads.id LIMIT 1) IS NOT NULL
        LIMIT 500
    ) AS h
    WHERE NOT o.paused
    UNION ALL
    SELECT o.id, s.head_id, 1, 'soon'
    FROM opened AS o
    CROSS JOIN LATERAL (
        SELECT head_id FROM swather.scheduled
        WHERE run_id = o.id AND due_at <= (SELECT at FROM soon)
        LIMIT 1000
    ) AS s
    WHERE NOT o.paused
    UNION ALL
    SELECT run_id, head_id, count(*), 'leased' FROM swather.leases GROUP BY run_id, head_id
),
looked AS MATERIALIZED (
    SELECT p.run_id, p.head_id, h.lane_id, h.partition, sum(p.n) AS tasks,
           coalesce(sum(p.n) FILTER (WHERE p.state = 'ready'), 0) AS ready,
           coalesce(sum(p.n) FILTER (WHERE p.state = 'soon'), 0) AS soon
    FROM parts AS p
    CROSS JOIN LATERAL (
        SELECT lane_id, partition FROM swather.heads WHERE id = p.head_id OFFSET 0
    ) AS h
    GROUP BY p.run_id, p.head_id, h.lane_id, h.partition
),
-- What paces a lane or a scraper as a whole: 'slots' of it can be used at once. A rate needs as many
-- as start while one task runs, and half as many again because tasks differ.
paced AS MATERIALIZED (
    SELECT l.id, l.is_public,
           l.overrides AND l.set_every_seconds > 0 AS sets_rate,
           l.overrides AND l.in_flight IS NOT NULL AS sets_in_flight,
           CASE
               WHEN l.paused OR l.cool_until > (SELECT at FROM soon) THEN 0
               ELSE least(
                   coalesce(l.in_flight, 1000000000),
                   CASE
                       WHEN l.every_seconds > 0 THEN ceil(
                           least(1.5 * (SELECT task_seconds FROM pace) / l.every_seconds, 1e9)
                       )
                       ELSE 1000000000
                   END
               )
           END AS slots
    FROM (SELECT lane_id AS id FROM looked UNION SELECT scraper_lane_id FROM opened) AS used
    CROSS JOIN LATERAL (SELECT * FROM swather.lanes WHERE id = used.id OFFSET 0) AS l
),
limited AS (
    SELECT k.run_id, k.head_id, k.partition, k.lane_id, k.ready, k.soon,
           CASE
               WHEN EXISTS (
                   SELECT FROM swather.breakers
                   WHERE lane_id = k.lane_id AND scraper_id = o.scraper_lane_id
               ) THEN 1
               -- More than were counted.
               WHEN k.ready >= 1000 THEN o.ready + o.leased
               ELSE k.tasks
           END AS tasks,
           CASE
               WHEN k.lane_id = 0 THEN 1000000000
               ELSE least(
                   l.slots,
                   CASE
                       WHEN l.sets_in_flight OR o.in_flight IS NULL THEN 1000000000
                       ELSE o.in_flight
                   END,
                   CASE
                       WHEN l.sets_rate OR o.every_seconds <= 0 THEN 1000000000
                       WHEN o.rate_is_default AND l.is_public IS NOT TRUE THEN 1000000000
                       ELSE ceil(
                           least(1.5 * (SELECT task_seconds FROM pace) / o.every_seconds, 1e9)
                       )
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
    SELECT run_id, sum(least(slots, upto) - least(slots, upto - tasks)) AS slots,
           count(*) FILTER (WHERE ready > 0) AS heads, coalesce(sum(soon), 0) AS soon,
           CASE
               WHEN min(partition) <> '' AND count(*) < 500 THEN count(DISTINCT partition)
           END AS partitions
    FROM ranked
    GROUP BY run_id
),
told AS (
    SELECT o.id, o.name, o.scraper, o.scraper_lane_id, s.partitions,
           o.ready + o.leased + coalesce(s.soon, 0) AS backlog,
           CASE
               WHEN s.heads >= 500 THEN o.ready + o.leased + s.soon
               ELSE least(coalesce(s.slots, 0), o.ready + o.leased + coalesce(s.soon, 0))
           END AS slots,
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
SELECT id AS run_id, name AS run, scraper, backlog::bigint AS backlog,
       (least(scraper_slots, upto) - least(scraper_slots, upto - slots))::bigint AS usable_slots,
       CASE WHEN backlog > 0 THEN partitions END AS partitions
FROM shared;

-- One row. Where tasks_per_worker and concurrency are not in the settings row, the defaults count.
CREATE VIEW swather.v_fleet_wanted AS
SELECT d.backlog, d.usable_slots, d.partitions, p.tasks_per_worker, p.slots_per_worker,
       CASE
           WHEN d.backlog = 0 THEN 0
           ELSE least(
               ceil(d.backlog::float8 / p.tasks_per_worker),
               ceil(d.usable_slots::float8 / p.slots_per_worker),
               d.partitions
           )::bigint
       END AS wanted
FROM (
    SELECT coalesce(sum(backlog), 0)::bigint AS backlog,
           coalesce(sum(usable_slots), 0)::bigint AS usable_slots,
           CASE WHEN count(*) = count(partitions) THEN sum(partitions)::bigint END AS partitions
    FROM swather.v_fleet_demand
    WHERE backlog > 0
) AS d
CROSS JOIN (
    SELECT coalesce(
               (SELECT value::integer FROM swather.settings WHERE name = 'tasks_per_worker'), 1000
           ) AS tasks_per_worker,
           coalesce(
               (SELECT value::integer FROM swather.settings WHERE name = 'concurrency'), 10
           ) AS slots_per_worker
) AS p;
