-- Claim: scopes, heads, the locks that limits need, and the statement that takes tasks.

-- name: scopes
SELECT r.id, r.scraper, r.strategy, r.priorities, r.scraper_lane_id, s.limited,
       ARRAY(
           SELECT p.name FROM swather.partitions AS p
           WHERE p.run_id = r.id AND p.owner_id = w.id AND NOT p.leaving
           ORDER BY p.name
       ),
       extract(epoch FROM greatest(s.cool_until, swather.clock()) - swather.clock())::float8
FROM swather.workers AS w
JOIN swather.runs AS r ON r.state = 'open' AND NOT r.paused AND r.priorities <> 0
JOIN swather.lanes AS s ON s.id = r.scraper_lane_id AND NOT s.paused
WHERE w.id = %(worker_id)s AND w.state = 'live' AND w.expires_at > swather.clock()
  AND NOT w.paused
ORDER BY r.id

-- name: scopes_of_runs
SELECT r.id, r.scraper, r.strategy, r.priorities, r.scraper_lane_id, s.limited,
       ARRAY(
           SELECT p.name FROM swather.partitions AS p
           WHERE p.run_id = r.id AND p.owner_id = w.id AND NOT p.leaving
           ORDER BY p.name
       ),
       extract(epoch FROM greatest(s.cool_until, swather.clock()) - swather.clock())::float8
FROM swather.workers AS w
JOIN swather.runs AS r
    ON r.name = ANY(%(names)b::text[])
    AND r.state = 'open' AND NOT r.paused AND r.priorities <> 0
JOIN swather.lanes AS s ON s.id = r.scraper_lane_id AND NOT s.paused
WHERE w.id = %(worker_id)s AND w.state = 'live' AND w.expires_at > swather.clock()
  AND NOT w.paused
ORDER BY r.id

-- name: unpaced_scopes
-- As scopes_of_runs, whatever is paused or cooling, and whoever owns its partitions.
SELECT r.id, r.scraper, r.strategy, r.priorities, r.scraper_lane_id, false,
       ARRAY(
           SELECT p.name FROM swather.partitions AS p
           WHERE p.run_id = r.id
           ORDER BY p.name
       ),
       0::float8
FROM swather.workers AS w
JOIN swather.runs AS r
    ON r.name = ANY(%(names)b::text[])
    AND r.state = 'open' AND r.priorities <> 0
WHERE w.id = %(worker_id)s AND w.state = 'live' AND w.expires_at > swather.clock()
  AND NOT w.paused
ORDER BY r.id

-- name: awake_heads
-- Heads that a claim may look at: those that nothing holds back, from the cursor on, and those that
-- are due. A scope is read only while the limit is not reached.
WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs)
SELECT o.entry, h.id, h.best, h.lane_id,
       CASE
           WHEN l.tripped AND EXISTS (
               SELECT FROM swather.breakers AS b
               WHERE b.lane_id = h.lane_id AND b.scraper_id = r.scraper_lane_id
           ) THEN 'paced'
           WHEN NOT l.limited AND g.every = 0 AND g.in_flight IS NULL THEN 'free'
           WHEN l.is_counted AND g.every = 0 THEN 'counted'
           ELSE 'paced'
       END,
       extract(epoch FROM nullif(h.wake_at, '-infinity'))::float8, h.asleep = 'full'
FROM unnest(
    %(entries)b::integer[], %(run_ids)b::bigint[], %(partitions)b::text[], %(bests)b::smallint[],
    %(after)b::bigint[], %(since)b::float8[]
) AS o (entry, run_id, partition, best, after, since)
CROSS JOIN LATERAL (
    SELECT scraper_lane_id FROM swather.runs WHERE id = o.run_id OFFSET 0
) AS r
CROSS JOIN LATERAL (
    (
        SELECT id, best, lane_id, wake_at, asleep
        FROM swather.heads
        WHERE run_id = o.run_id AND partition = o.partition AND best = o.best
          AND wake_at = '-infinity' AND id > o.after
        ORDER BY id
        LIMIT %(each)s
    )
    UNION ALL
    (
        SELECT id, best, lane_id, wake_at, asleep
        FROM swather.heads
        WHERE run_id = o.run_id AND partition = o.partition AND best = o.best
          AND wake_at >= to_timestamp(o.since) AND wake_at <= swather.clock()
        ORDER BY wake_at, id
        LIMIT %(each)s
    )
) AS h
CROSS JOIN LATERAL (
    SELECT limited, tripped, is_public,
           overrides AND set_every_seconds > 0 AS sets_rate,
           overrides AND in_flight IS NOT NULL AS sets_in_flight,
           every_seconds = 0 AND NOT paused
           AND (cool_until IS NULL OR cool_until <= swather.clock()) AS is_counted
    FROM swather.lanes WHERE id = h.lane_id OFFSET 0
) AS l
CROSS JOIN LATERAL (
    SELECT h.lane_id, o.run_id, l.is_public, l.sets_rate, l.sets_in_flight
) AS asked
-- include: limits_on_lane
LIMIT %(limit)s

-- name: lock_scrapers
SELECT o.*,
       CASE WHEN o.in_flight_limit IS NULL THEN 0 ELSE swather.scraper_in_flight(o.id) END
FROM (
    SELECT id, every_seconds, burst, in_flight AS in_flight_limit,
           extract(epoch FROM tat)::float8, paused, extract(epoch FROM cool_until)::float8,
           extract(epoch FROM swather.clock())::float8
    FROM swather.lanes
    WHERE id = ANY(%(scrapers)b::bigint[])
    ORDER BY id
    FOR NO KEY UPDATE
) AS o

-- name: lock_heads
-- Limited heads that seem open, with their lanes, locked for this claim. The lock on a lane covers
-- its whole pace: leases are counted after it is taken.
WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs)
SELECT h.id, h.lane_id, h.wake_at = '-infinity',
       l.every_seconds, l.burst, l.in_flight,
       g.every, g.burst, g.in_flight,
       extract(epoch FROM l.tat)::float8, l.paused, extract(epoch FROM l.cool_until)::float8,
       extract(epoch FROM swather.clock())::float8,
       CASE
           WHEN l.in_flight IS NULL AND g.in_flight IS NULL THEN 0
           ELSE (SELECT f.n FROM swather.lanes_in_flight(ARRAY[h.lane_id]) AS f)
       END,
       l.tripped, r.scraper_lane_id
FROM (
    SELECT id, run_id, lane_id, wake_at
    FROM swather.heads
    WHERE id = ANY(%(heads)b::bigint[]) AND wake_at <= swather.clock()
    FOR NO KEY UPDATE SKIP LOCKED
) AS h
CROSS JOIN LATERAL (
    SELECT every_seconds, burst, in_flight, tat, paused, cool_until, tripped, is_public,
           overrides AND set_every_seconds > 0 AS sets_rate,
           overrides AND in_flight IS NOT NULL AS sets_in_flight
    FROM swather.lanes
    WHERE id = h.lane_id
    FOR NO KEY UPDATE SKIP LOCKED
) AS l
CROSS JOIN LATERAL (
    SELECT scraper_lane_id FROM swather.runs WHERE id = h.run_id OFFSET 0
) AS r
CROSS JOIN LATERAL (
    SELECT h.lane_id, h.run_id, l.is_public, l.sets_rate, l.sets_in_flight
) AS asked
-- include: limits_on_lane

-- name: claim_heads
-- The beginning of a claim (then come a pick, claim_take and claimed): which of the offered
-- heads may give tasks to this worker now. Lanes and scrapers that the claim has locked need no
-- further check. Rows are looked up one by one (OFFSET 0), since the plan is reused while the tables
-- grow from nothing to millions.
WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs),
open AS MATERIALIZED (
    SELECT o.head_id, o.priority, o.above, o.below, o.quota,
           h.run_id, h.lane_id, h.partition, l.name AS lane, r.version
    FROM unnest(
        %(heads)b::bigint[], %(priorities)b::smallint[], %(above)b::bigint[], %(below)b::bigint[],
        %(quotas)b::integer[], %(lanes_locked)b::boolean[], %(scrapers_locked)b::boolean[]
    ) WITH ORDINALITY AS o (
        head_id, priority, above, below, quota, lane_locked, scraper_locked, position
    )
    CROSS JOIN LATERAL (
        SELECT run_id, lane_id, partition FROM swather.heads WHERE id = o.head_id OFFSET 0
    ) AS h
    CROSS JOIN LATERAL (
        SELECT version, scraper_lane_id
        FROM swather.runs
        WHERE id = h.run_id AND state = 'open' AND NOT paused
          AND (cool_until IS NULL OR cool_until <= swather.clock())
        OFFSET 0
    ) AS r
    CROSS JOIN LATERAL (
        SELECT name, limited, tripped, is_public FROM swather.lanes WHERE id = h.lane_id OFFSET 0
    ) AS l
    CROSS JOIN LATERAL (
        SELECT limited FROM swather.lanes WHERE id = r.scraper_lane_id OFFSET 0
    ) AS s
    WHERE EXISTS (
          SELECT FROM swather.workers
          WHERE id = %(worker_id)s AND state = 'live' AND expires_at > swather.clock()
            AND NOT paused AND (cool_until IS NULL OR cool_until <= swather.clock())
      )
      AND (o.scraper_locked OR NOT s.limited)
      AND (
          o.lane_locked OR NOT (
              l.limited
              OR EXISTS (
                  SELECT FROM limiting AS g
                  WHERE h.lane_id <> 0
                    AND (
                        g.lane_in_flight IS NOT NULL
                        OR (g.lane_every_seconds > 0 AND (l.is_public OR NOT g.rate_is_default))
                    )
                    AND (
                        g.id = h.run_id OR (
                            SELECT x.id FROM swather.heads AS x
                            WHERE x.lane_id = h.lane_id AND x.run_id = g.id LIMIT 1
                        ) IS NOT NULL
                    )
              )
              OR (
                  l.tripped AND EXISTS (
                      SELECT FROM swather.breakers AS b
                      WHERE b.lane_id = h.lane_id AND b.scraper_id = r.scraper_lane_id
                  )
              )
          )
      )
      AND (
          h.partition = '' OR %(worker_id)s = (
              SELECT owner_id FROM swather.partitions
              WHERE run_id = h.run_id AND name = h.partition AND NOT leaving
          )
      )
    ORDER BY o.position
),

-- name: claim_counted_heads
-- As claim_heads, with lanes that only a number in flight limits. They are locked here, and leases are
-- counted after that: the function is volatile, so that it sees what the lane's last holder committed.
-- No two heads of one lane may be offered together.
WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs),
candidates AS MATERIALIZED (
    SELECT o.head_id, o.priority, o.above, o.below, o.quota, o.counted, o.position, h.is_free,
           least(c.in_flight, g.in_flight) AS in_flight,
           h.run_id, h.lane_id, h.partition, coalesce(c.name, l.name) AS lane, r.version
    FROM unnest(
        %(heads)b::bigint[], %(priorities)b::smallint[], %(above)b::bigint[], %(below)b::bigint[],
        %(quotas)b::integer[], %(counted)b::boolean[]
    ) WITH ORDINALITY AS o (head_id, priority, above, below, quota, counted, position)
    CROSS JOIN LATERAL (
        SELECT run_id, lane_id, partition, wake_at = '-infinity' AS is_free
        FROM swather.heads WHERE id = o.head_id OFFSET 0
    ) AS h
    CROSS JOIN LATERAL (
        SELECT version, scraper_lane_id
        FROM swather.runs
        WHERE id = h.run_id AND state = 'open' AND NOT paused
          AND (cool_until IS NULL OR cool_until <= swather.clock())
        OFFSET 0
    ) AS r
    CROSS JOIN LATERAL (
        SELECT FROM swather.lanes WHERE id = r.scraper_lane_id AND NOT limited OFFSET 0
    ) AS s
    CROSS JOIN LATERAL (
        SELECT is_public, overrides AND set_every_seconds > 0 AS sets_rate,
               overrides AND in_flight IS NOT NULL AS sets_in_flight
        FROM swather.lanes WHERE id = h.lane_id OFFSET 0
    ) AS p
    CROSS JOIN LATERAL (SELECT h.lane_id, h.run_id, p.*) AS asked
    -- include: limits_on_lane
    LEFT JOIN LATERAL (
        SELECT name FROM swather.lanes
        WHERE id = h.lane_id AND NOT o.counted AND NOT limited
          AND NOT (
              tripped AND EXISTS (
                  SELECT FROM swather.breakers AS b
                  WHERE b.lane_id = h.lane_id AND b.scraper_id = r.scraper_lane_id
              )
          )
        OFFSET 0
    ) AS l ON true
    LEFT JOIN LATERAL (
        SELECT name, in_flight FROM swather.lanes
        WHERE id = h.lane_id AND o.counted AND every_seconds = 0 AND NOT paused
          AND (cool_until IS NULL OR cool_until <= swather.clock())
          AND NOT (
              tripped AND EXISTS (
                  SELECT FROM swather.breakers AS b
                  WHERE b.lane_id = h.lane_id AND b.scraper_id = r.scraper_lane_id
              )
          )
        FOR NO KEY UPDATE SKIP LOCKED
    ) AS c ON true
    WHERE EXISTS (
          SELECT FROM swather.workers
          WHERE id = %(worker_id)s AND state = 'live' AND expires_at > swather.clock()
            AND NOT paused AND (cool_until IS NULL OR cool_until <= swather.clock())
      )
      AND CASE
          WHEN o.counted THEN c.name IS NOT NULL AND g.every = 0
          ELSE l.name IS NOT NULL AND g.every = 0 AND g.in_flight IS NULL
      END
      AND (
          h.partition = '' OR %(worker_id)s = (
              SELECT owner_id FROM swather.partitions
              WHERE run_id = h.run_id AND name = h.partition AND NOT leaving
          )
      )
),
flying AS MATERIALIZED (
    SELECT f.lane_id, f.n
    FROM swather.lanes_in_flight(ARRAY(SELECT lane_id FROM candidates WHERE counted)) AS f
),
offered AS MATERIALIZED (
    SELECT k.head_id, k.priority, k.above, k.below,
           least(k.quota, k.in_flight - f.n) AS quota,
           k.is_free, k.run_id, k.lane_id, k.partition, k.lane, k.version
    FROM candidates AS k
    LEFT JOIN flying AS f ON f.lane_id = k.lane_id AND k.counted
    ORDER BY k.position
),
open AS MATERIALIZED (SELECT * FROM offered WHERE quota > 0),
filled AS (
    UPDATE swather.heads
    SET wake_at = swather.clock() + interval '1 second', asleep = 'full'
    WHERE id = ANY(ARRAY(
        SELECT id FROM swather.heads
        WHERE id = ANY(ARRAY(SELECT head_id FROM offered WHERE quota <= 0))
        FOR NO KEY UPDATE SKIP LOCKED
    ))
),
opened AS (
    UPDATE swather.heads
    SET wake_at = '-infinity', asleep = ''
    WHERE id = ANY(ARRAY(
        SELECT id FROM swather.heads
        WHERE id = ANY(ARRAY(SELECT head_id FROM open WHERE NOT is_free))
        FOR NO KEY UPDATE SKIP LOCKED
    ))
),

-- name: claim_unpaced_heads
-- As claim_heads, for tasks that will touch no site: nothing holds them back, no owner of a partition
-- either, and they do not count as in flight on their lane.
WITH open AS MATERIALIZED (
    SELECT o.head_id, o.priority, o.above, o.below, o.quota,
           h.run_id, 0::bigint AS lane_id, h.partition, l.name AS lane, r.version
    FROM unnest(
        %(heads)b::bigint[], %(priorities)b::smallint[], %(above)b::bigint[], %(below)b::bigint[],
        %(quotas)b::integer[]
    ) WITH ORDINALITY AS o (head_id, priority, above, below, quota, position)
    CROSS JOIN LATERAL (
        SELECT run_id, lane_id, partition FROM swather.heads WHERE id = o.head_id OFFSET 0
    ) AS h
    CROSS JOIN LATERAL (
        SELECT version FROM swather.runs WHERE id = h.run_id AND state = 'open' OFFSET 0
    ) AS r
    CROSS JOIN LATERAL (
        SELECT name FROM swather.lanes WHERE id = h.lane_id OFFSET 0
    ) AS l
    WHERE EXISTS (
          SELECT FROM swather.workers
          WHERE id = %(worker_id)s AND state = 'live' AND expires_at > swather.clock()
            AND NOT paused AND (cool_until IS NULL OR cool_until <= swather.clock())
      )
    ORDER BY o.position
),

-- name: pick_oldest
picked AS MATERIALIZED (
    SELECT o.*, t.row_id, t.task_id
    FROM open AS o
    CROSS JOIN LATERAL (
        SELECT r.ctid AS row_id, r.task_id
        FROM swather.ready AS r
        WHERE r.head_id = o.head_id AND r.priority = o.priority AND r.task_id > o.above
        ORDER BY r.task_id
        LIMIT o.quota
        FOR UPDATE SKIP LOCKED
    ) AS t
    LIMIT %(count)s
),

-- name: pick_newest
picked AS MATERIALIZED (
    SELECT o.*, t.row_id, t.task_id
    FROM open AS o
    CROSS JOIN LATERAL (
        SELECT r.ctid AS row_id, r.task_id
        FROM swather.ready AS r
        WHERE r.head_id = o.head_id AND r.priority = o.priority
          AND r.task_id > o.above AND r.task_id < o.below
        ORDER BY r.task_id DESC
        LIMIT o.quota
        FOR UPDATE SKIP LOCKED
    ) AS t
    LIMIT %(count)s
),

-- name: pick_oldest_of_all
-- Several priorities in one order of age: a merge of their index scans, locked row by row, so that no
-- more is locked than is taken.
picked AS MATERIALIZED (
    SELECT o.head_id, t.priority, o.above, o.below, o.quota, o.run_id, o.lane_id, o.partition,
           o.lane, o.version, t.row_id, t.task_id
    FROM open AS o
    CROSS JOIN LATERAL (
        SELECT r.ctid AS row_id, r.task_id, r.priority
        FROM (
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 1 AND task_id > o.above
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 2 AND task_id > o.above
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 3 AND task_id > o.above
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 4 AND task_id > o.above
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 5 AND task_id > o.above
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 6 AND task_id > o.above
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 7 AND task_id > o.above
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 8 AND task_id > o.above
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 9 AND task_id > o.above
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 10 AND task_id > o.above
        ) AS m
        JOIN swather.ready AS r ON r.ctid = m.row_id
        ORDER BY m.task_id
        LIMIT o.quota
        FOR UPDATE OF r SKIP LOCKED
    ) AS t
    LIMIT %(count)s
),

-- name: pick_newest_of_all
-- Several priorities in one order of age: a merge of their index scans, locked row by row, so that no
-- more is locked than is taken.
picked AS MATERIALIZED (
    SELECT o.head_id, t.priority, o.above, o.below, o.quota, o.run_id, o.lane_id, o.partition,
           o.lane, o.version, t.row_id, t.task_id
    FROM open AS o
    CROSS JOIN LATERAL (
        SELECT r.ctid AS row_id, r.task_id, r.priority
        FROM (
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 1 AND task_id > o.above AND task_id < o.below
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 2 AND task_id > o.above AND task_id < o.below
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 3 AND task_id > o.above AND task_id < o.below
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 4 AND task_id > o.above AND task_id < o.below
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 5 AND task_id > o.above AND task_id < o.below
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 6 AND task_id > o.above AND task_id < o.below
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 7 AND task_id > o.above AND task_id < o.below
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 8 AND task_id > o.above AND task_id < o.below
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 9 AND task_id > o.above AND task_id < o.below
            UNION ALL
            SELECT ctid AS row_id, task_id, priority FROM swather.ready
            WHERE head_id = o.head_id AND priority = 10 AND task_id > o.above AND task_id < o.below
        ) AS m
        JOIN swather.ready AS r ON r.ctid = m.row_id
        ORDER BY m.task_id DESC
        LIMIT o.quota
        FOR UPDATE OF r SKIP LOCKED
    ) AS t
    LIMIT %(count)s
),

-- name: claim_take
token AS MATERIALIZED (SELECT nextval('swather.tokens') AS token),
gone AS (
    DELETE FROM swather.ready WHERE ctid = ANY(ARRAY(SELECT row_id FROM picked))
),
known AS MATERIALIZED (
    SELECT k.task_id, k.head_id, k.priority, k.run_id, k.lane_id, k.partition, k.lane, o.token, t.target, t.parent_id,
           f.attempts, f.blocked, f.proxy, f.crashes, f.crashes_alone, f.postponed, f.avoids,
           coalesce(f.replaces, false) OR coalesce(c.version <> k.version, false) AS replaces,
           c.part, c.cursor
    FROM picked AS k
    CROSS JOIN token AS o
    CROSS JOIN LATERAL (
        SELECT target, parent_id FROM swather.tasks WHERE id = k.task_id OFFSET 0
    ) AS t
    LEFT JOIN LATERAL (
        SELECT attempts, blocked, proxy, crashes, crashes_alone, postponed, avoids,
               replaces
        FROM swather.faults WHERE task_id = k.task_id OFFSET 0
    ) AS f ON true
    LEFT JOIN LATERAL (
        SELECT part, cursor, version FROM swather.checkpoints WHERE task_id = k.task_id OFFSET 0
    ) AS c ON true
),
leased AS (
    INSERT INTO swather.leases (
        task_id, token, worker_id, run_id, head_id, lane_id, priority, replaces, claimed_at
    )
    SELECT task_id, token, %(worker_id)s, run_id, head_id, lane_id, priority, replaces,
           (SELECT swather.clock())
    FROM known
),
counted AS (
    INSERT INTO swather.counters (run_id, name, n)
    SELECT k.run_id, c.name, c.sign * k.n
    FROM (SELECT run_id, count(*) AS n FROM known GROUP BY run_id) AS k
    CROSS JOIN (VALUES ('ready', -1), ('leased', 1)) AS c (name, sign)
),
logged AS (
    INSERT INTO swather.events (at, kind, run_id, task_id, worker_id)
    SELECT (SELECT swather.clock()), 'claimed', run_id, task_id, %(worker_id)s
    FROM known
    WHERE (SELECT value = '"all"' FROM swather.settings WHERE name = 'event_level')
)

-- name: claimed
SELECT task_id, token, run_id, target, priority, lane, partition, parent_id, head_id,
       attempts, blocked, proxy, crashes, crashes_alone, postponed, avoids,
       CASE WHEN replaces THEN NULL ELSE part END,
       CASE WHEN replaces THEN NULL ELSE cursor END
FROM known

-- name: claimed_counted
-- The last row says which heads were open, and for how much each.
SELECT task_id, token, run_id, target, priority, lane, partition, parent_id, head_id,
       attempts, blocked, proxy, crashes, crashes_alone, postponed, avoids,
       CASE WHEN replaces THEN NULL ELSE part END,
       CASE WHEN replaces THEN NULL ELSE cursor END,
       NULL
FROM known
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       (SELECT string_agg(head_id || ' ' || quota, ' ') FROM open)

-- name: next_due
-- Seconds until something may be claimed in these scopes, and whether a head sleeps longer than its
-- lane can explain: then the clock was set back. A head that is still awake after a claim was locked
-- by somebody else, and is looked at again soon.
WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs)
SELECT min(d.seconds), coalesce(bool_or(d.overslept), false)
FROM (
    SELECT extract(epoch FROM s.due_at - swather.clock())::float8 AS seconds, false AS overslept
    FROM (SELECT DISTINCT id FROM unnest(%(run_ids)b::bigint[]) AS i (id)) AS r
    CROSS JOIN LATERAL (
        SELECT due_at FROM swather.scheduled WHERE run_id = r.id ORDER BY due_at LIMIT 1
    ) AS s
    UNION ALL
    SELECT extract(epoch FROM h.wake_at - swather.clock())::float8,
           h.wake_at > greatest(
               l.cool_until,
               CASE
                   WHEN l.tripped THEN (
                       SELECT b.probe_at FROM swather.breakers AS b
                       WHERE b.lane_id = h.lane_id AND b.scraper_id = r.scraper_lane_id
                   )
               END,
               swather.clock() + interval '1 second' * (
                   2.5 + greatest(l.every_seconds, g.every) * greatest(l.burst, g.burst)
               )
           )
    FROM unnest(%(run_ids)b::bigint[], %(partitions)b::text[], %(bests)b::smallint[])
        AS o (run_id, partition, best)
    CROSS JOIN LATERAL (
        SELECT lane_id, wake_at FROM swather.heads
        WHERE run_id = o.run_id AND partition = o.partition AND best = o.best
          AND wake_at > swather.clock() AND wake_at < 'infinity'
        ORDER BY wake_at LIMIT 1
    ) AS h
    CROSS JOIN LATERAL (
        SELECT cool_until, every_seconds, burst, tripped, is_public,
               overrides AND set_every_seconds > 0 AS sets_rate,
               overrides AND in_flight IS NOT NULL AS sets_in_flight
        FROM swather.lanes WHERE id = h.lane_id OFFSET 0
    ) AS l
    CROSS JOIN LATERAL (
        SELECT scraper_lane_id FROM swather.runs WHERE id = o.run_id OFFSET 0
    ) AS r
    CROSS JOIN LATERAL (
        SELECT h.lane_id, o.run_id, l.is_public, l.sets_rate, l.sets_in_flight
    ) AS asked
    -- include: limits_on_lane
    UNION ALL
    SELECT 0.02, false
    FROM unnest(%(run_ids)b::bigint[], %(partitions)b::text[], %(bests)b::smallint[])
        AS o (run_id, partition, best)
    CROSS JOIN LATERAL (
        SELECT FROM swather.heads
        WHERE run_id = o.run_id AND partition = o.partition AND best = o.best
          AND wake_at <= swather.clock()
        LIMIT 1
    ) AS h
) AS d
