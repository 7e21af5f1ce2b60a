-- Lanes and scrapers: limits, pauses, cool-downs, strikes, paces.

-- name: ensure_lanes
INSERT INTO swather.lanes AS o (kind, name, is_public)
SELECT %(kind)s, l.name, l.is_public
FROM unnest(%(names)b::text[], %(public)b::boolean[]) AS l (name, is_public)
WHERE (
    SELECT id FROM swather.lanes
    WHERE kind = %(kind)s AND name = l.name AND is_public IS NOT NULL
) IS NULL
ORDER BY l.name
ON CONFLICT (kind, name) DO UPDATE SET is_public = excluded.is_public WHERE o.is_public IS NULL

-- name: lane_names
SELECT name FROM swather.lanes WHERE kind = %(kind)s AND id <> 0 ORDER BY id DESC LIMIT %(limit)s

-- name: find_lane
SELECT id FROM swather.lanes WHERE kind = %(kind)s AND name = %(name)s

-- name: lane_columns
-- The columns of a lane `l` and the limits `g` of the runs on it, overridden or not.
SELECT l.kind, l.name, l.set_every_seconds, l.set_burst, l.in_flight, l.paused, l.cool_until,
       l.cool_reason,
       CASE l.kind
           WHEN 'lane' THEN (
               SELECT count(*) FROM swather.leases WHERE lane_id = l.id AND lane_id <> 0
           ) + (SELECT coalesce(sum(n), 0)::bigint FROM swather.requests WHERE lane_id = l.id)
           ELSE swather.scraper_in_flight(l.id)
       END,
       CASE WHEN l.forgiven_at <= swather.clock() THEN 0 ELSE l.strikes END,
       l.learned_every_seconds, l.crawl_delay_seconds, g.every, g.burst, g.in_flight,
       coalesce(g.slowest, ''), l.overrides, g.runs

-- name: get_lane
WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs)
-- include: lane_columns
FROM swather.lanes AS l
CROSS JOIN LATERAL (
    SELECT l.id AS lane_id, 0 AS run_id, l.is_public, false AS sets_rate, false AS sets_in_flight
) AS asked
-- include: limits_on_lane
WHERE l.kind = %(kind)s AND l.name = %(name)s

-- name: list_lanes
-- Busy lanes are found one after the other in their index: a busy table of leases is mostly dead rows,
-- which a scan of the table would read each time.
WITH RECURSIVE busy (lane_id) AS (
    (SELECT lane_id FROM swather.leases WHERE lane_id <> 0 ORDER BY lane_id LIMIT 1)
    UNION ALL
    SELECT (
        SELECT s.lane_id FROM swather.leases AS s
        WHERE s.lane_id <> 0 AND s.lane_id > b.lane_id
        ORDER BY s.lane_id LIMIT 1
    )
    FROM busy AS b
    WHERE b.lane_id IS NOT NULL
),
limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs)
-- include: lane_columns
FROM (
    SELECT id FROM swather.lanes WHERE limited
    UNION
    SELECT lane_id FROM busy WHERE lane_id IS NOT NULL
    UNION
    SELECT lane_id FROM swather.breakers WHERE lane_id <> 0
    UNION
    SELECT lane_id FROM (
        SELECT h.lane_id
        FROM (SELECT id FROM swather.runs WHERE state = 'open' OFFSET 0) AS r
        CROSS JOIN LATERAL (
            SELECT lane_id FROM swather.heads
            WHERE run_id = r.id AND asleep <> 'empty' AND lane_id <> 0
            OFFSET 0
        ) AS h
        LIMIT %(limit)s
    ) AS w
) AS i
CROSS JOIN LATERAL (SELECT * FROM swather.lanes WHERE id = i.id OFFSET 0) AS l
CROSS JOIN LATERAL (
    SELECT l.id AS lane_id, 0 AS run_id, l.is_public, false AS sets_rate, false AS sets_in_flight
) AS asked
-- include: limits_on_lane
ORDER BY l.paused DESC, coalesce(l.cool_until > swather.clock(), false) DESC,
         EXISTS (SELECT 1 FROM swather.breakers WHERE lane_id = l.id) DESC, l.kind, l.name
LIMIT %(limit)s

-- name: limits_on_lane
-- Included in statements: the limits of all runs on a lane. `limiting` has the runs whose limits
-- apply, `asked` the lane, a run that is known to be on it (0: none), whether the lane is public, and
-- whether its own rate and its own number in flight override those of runs.
-- Not a function, which could not share `limiting` and made reading heads a fifth slower.
CROSS JOIN LATERAL (
    SELECT coalesce(max(o.every), 0) AS every,
           coalesce(min(o.lane_burst) FILTER (WHERE o.every > 0), 1) AS burst,
           min(o.lane_in_flight) AS in_flight,
           (array_agg(o.name ORDER BY o.every DESC) FILTER (WHERE o.every > 0))[1] AS slowest,
           count(*) AS runs
    FROM (
        SELECT name, lane_burst,
               CASE WHEN NOT asked.sets_in_flight THEN lane_in_flight END AS lane_in_flight,
               CASE
                   WHEN asked.sets_rate THEN 0
                   WHEN rate_is_default AND asked.is_public IS NOT TRUE THEN 0
                   ELSE lane_every_seconds
               END AS every
        FROM limiting
        WHERE asked.lane_id <> 0 AND (
            id = asked.run_id OR (
                SELECT x.id FROM swather.heads AS x
                WHERE x.lane_id = asked.lane_id AND x.run_id = limiting.id LIMIT 1
            ) IS NOT NULL
        )
    ) AS o
) AS g

-- name: limits_of_runs
WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs)
SELECT g.every, g.burst, g.in_flight
FROM swather.lanes AS l
CROSS JOIN LATERAL (
    SELECT l.id AS lane_id, 0 AS run_id, l.is_public,
           l.overrides AND l.set_every_seconds > 0 AS sets_rate,
           l.overrides AND l.in_flight IS NOT NULL AS sets_in_flight
) AS asked
-- include: limits_on_lane
WHERE l.id = %(lane_id)s

-- name: limit_lane
UPDATE swather.lanes
SET set_every_seconds = %(every_seconds)s, set_burst = %(burst)s, in_flight = %(in_flight)s,
    overrides = %(overrides)s
WHERE id = %(lane_id)s

-- name: pause_lane
UPDATE swather.lanes SET paused = true WHERE id = %(lane_id)s

-- name: unpause_lane
UPDATE swather.lanes SET paused = false, cool_until = NULL, cool_reason = ''
WHERE id = %(lane_id)s

-- name: cool_lane
UPDATE swather.lanes
SET cool_until = swather.clock() + %(seconds)s * interval '1 second', cool_reason = %(reason)s
WHERE id = %(lane_id)s
  AND (
      cool_until IS NULL
      OR cool_until < swather.clock() + %(seconds)s * interval '1 second'
  )

-- name: end_cool_downs
UPDATE swather.lanes
SET cool_until = NULL, cool_reason = ''
WHERE id IN (
    SELECT id FROM swather.lanes
    WHERE limited AND cool_until < swather.clock() - interval '1 minute'
    FOR NO KEY UPDATE SKIP LOCKED
)

-- name: clear_lane
UPDATE swather.lanes
SET set_every_seconds = 0, set_burst = 1, in_flight = NULL, overrides = false, paused = false,
    cool_until = NULL, cool_reason = '', tat = 'epoch', learned_every_seconds = NULL, learned_at = NULL,
    crawl_delay_seconds = NULL, strikes = 0, forgiven_at = NULL
WHERE id = %(lane_id)s

-- name: strike_lane
UPDATE swather.lanes
SET strikes = %(strikes)s, cool_reason = %(reason)s,
    cool_until = to_timestamp(%(until)s), forgiven_at = to_timestamp(%(forgiven_at)s)
WHERE id = %(lane_id)s

-- name: lock_lane
SELECT every_seconds, learned_every_seconds, crawl_delay_seconds, strikes,
       extract(epoch FROM cool_until)::float8, extract(epoch FROM forgiven_at)::float8,
       extract(epoch FROM swather.clock())::float8
FROM swather.lanes
WHERE id = %(lane_id)s
FOR NO KEY UPDATE

-- name: learn_lane
UPDATE swather.lanes
SET learned_every_seconds = %(every_seconds)s, learned_at = swather.clock()
WHERE id = %(lane_id)s

-- name: set_crawl_delay
UPDATE swather.lanes SET crawl_delay_seconds = %(seconds)s WHERE id = %(lane_id)s

-- name: get_pace
SELECT every_seconds, burst FROM swather.lanes WHERE id = %(lane_id)s

-- name: pace_lane
-- The interval in force: the slowest of what was set, learned and asked for; a burst only if set.
-- What was set may override what was learned.
UPDATE swather.lanes
SET every_seconds = greatest(
        set_every_seconds,
        CASE WHEN NOT (overrides AND set_every_seconds > 0) THEN learned_every_seconds END,
        crawl_delay_seconds
    ),
    burst = CASE
        WHEN greatest(
            CASE WHEN NOT (overrides AND set_every_seconds > 0) THEN learned_every_seconds END,
            crawl_delay_seconds
        ) > set_every_seconds THEN 1
        ELSE set_burst
    END
WHERE id = %(lane_id)s
RETURNING every_seconds

-- name: hurry_lane
UPDATE swather.lanes
SET tat = least(tat, swather.clock() + %(seconds)s * interval '1 second')
WHERE id = %(lane_id)s

-- name: save_paces
UPDATE swather.lanes
SET tat = to_timestamp((%(tats)b::float8[])[array_position(%(lanes)b::bigint[], id)])
WHERE id = ANY(%(lanes)b::bigint[])

-- name: stale_paces
SELECT id FROM swather.lanes
WHERE learned_at < swather.clock() - %(seconds)s * interval '1 second'
ORDER BY learned_at
LIMIT 1000

-- name: forget_pace
UPDATE swather.lanes SET learned_every_seconds = NULL, learned_at = NULL
WHERE id = %(lane_id)s AND learned_at < swather.clock() - %(seconds)s * interval '1 second'
