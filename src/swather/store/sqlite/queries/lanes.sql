-- Lanes and scrapers: limits, pauses, cool-downs, strikes, paces.

-- name: ensure_lane
INSERT INTO lanes (kind, name, is_public) VALUES (:kind, :name, :is_public)
ON CONFLICT (kind, name) DO UPDATE SET is_public = excluded.is_public WHERE is_public IS NULL

-- name: find_lane
SELECT id FROM lanes WHERE kind = ? AND name = ?

-- name: lane_names
SELECT name FROM lanes WHERE kind = :kind AND id <> 0 ORDER BY id DESC LIMIT :limit

-- name: lane_rows
SELECT kind, name, set_every_seconds, set_burst, in_flight, paused, cool_until, cool_reason,
       CASE kind
           WHEN 'lane' THEN (
               SELECT count(*) FROM leases WHERE lane_id = l.id AND lane_id <> 0
           ) + (SELECT coalesce(sum(n), 0) FROM requests WHERE lane_id = l.id)
           ELSE (
               SELECT count(*) FROM leases AS x
               WHERE (SELECT scraper_lane_id FROM runs WHERE id = x.run_id) = l.id
           )
       END,
       iif(forgiven_at <= :now, 0, strikes), learned_every_seconds, crawl_delay_seconds,
       id, is_public, overrides
FROM lanes AS l

-- name: get_lane
-- include: lane_rows
WHERE kind = :kind AND name = :name

-- name: list_lanes
-- include: lane_rows
WHERE id IN (
    SELECT id FROM lanes
    WHERE every_seconds > 0 OR in_flight IS NOT NULL OR paused OR cool_until IS NOT NULL
    UNION
    SELECT lane_id FROM leases WHERE lane_id <> 0
    UNION
    SELECT lane_id FROM breakers WHERE lane_id <> 0
    UNION
    SELECT lane_id FROM (
        SELECT h.lane_id
        FROM runs AS r CROSS JOIN heads AS h INDEXED BY heads_wake ON h.run_id = r.id
        WHERE r.state = 'open' AND h.asleep <> 'empty' AND h.lane_id <> 0
        LIMIT :limit
    )
)
ORDER BY paused DESC, coalesce(cool_until > :now, 0) DESC,
         EXISTS (SELECT 1 FROM breakers WHERE lane_id = l.id) DESC, kind, name
LIMIT :limit

-- name: scraper_in_flight
SELECT count(*) FROM leases
WHERE run_id IN (SELECT id FROM runs WHERE scraper_lane_id = ?)

-- name: limit_lane
UPDATE lanes
SET set_every_seconds = :every_seconds, set_burst = :burst, in_flight = :in_flight,
    overrides = :overrides
WHERE id = :lane_id

-- name: pause_lane
UPDATE lanes SET paused = 1 WHERE id = :lane_id

-- name: unpause_lane
UPDATE lanes SET paused = 0, cool_until = NULL, cool_reason = '' WHERE id = :lane_id

-- name: cool_lane
UPDATE lanes SET cool_until = :until, cool_reason = :reason
WHERE id = :lane_id AND (cool_until IS NULL OR cool_until < :until)

-- name: end_cool_downs
-- The long condition is that of the index lanes_limited.
UPDATE lanes SET cool_until = NULL, cool_reason = ''
WHERE (every_seconds > 0 OR in_flight IS NOT NULL OR paused OR cool_until IS NOT NULL)
  AND cool_until < :before

-- name: clear_lane
UPDATE lanes
SET set_every_seconds = 0, set_burst = 1, in_flight = NULL, overrides = 0, paused = 0,
    cool_until = NULL, cool_reason = '', tat = 0, learned_every_seconds = NULL, learned_at = NULL,
    crawl_delay_seconds = NULL, strikes = 0, forgiven_at = NULL
WHERE id = :lane_id

-- name: get_strikes
SELECT strikes, cool_until, forgiven_at FROM lanes WHERE id = ?

-- name: strike_lane
UPDATE lanes
SET strikes = :strikes, cool_until = :until, cool_reason = :reason, forgiven_at = :forgiven_at
WHERE id = :lane_id

-- name: get_learned_pace
SELECT learned_every_seconds, every_seconds FROM lanes WHERE id = ?

-- name: learn_lane
UPDATE lanes SET learned_every_seconds = :every_seconds, learned_at = :now WHERE id = :lane_id

-- name: get_crawl_delay
SELECT crawl_delay_seconds FROM lanes WHERE id = ?

-- name: set_crawl_delay
UPDATE lanes SET crawl_delay_seconds = :seconds WHERE id = :lane_id

-- name: get_interval
SELECT every_seconds FROM lanes WHERE id = :lane_id

-- name: get_pace
SELECT every_seconds, burst, is_public, overrides, set_every_seconds FROM lanes WHERE id = ?

-- name: pace_lane
-- The interval in force: the slowest of what was set, learned and asked for; a burst only if set.
-- What was set may override what was learned.
UPDATE lanes
SET every_seconds = max(
        set_every_seconds,
        iif(overrides AND set_every_seconds > 0, 0, coalesce(learned_every_seconds, 0)),
        coalesce(crawl_delay_seconds, 0)
    ),
    burst = iif(
        max(
            iif(overrides AND set_every_seconds > 0, 0, coalesce(learned_every_seconds, 0)),
            coalesce(crawl_delay_seconds, 0)
        ) > set_every_seconds,
        1, set_burst
    )
WHERE id = :lane_id
RETURNING every_seconds

-- name: hurry_lane
UPDATE lanes SET tat = min(tat, ?) WHERE id = ?

-- name: save_pace
UPDATE lanes SET tat = ? WHERE id = ?

-- name: stale_paces
SELECT id FROM lanes WHERE learned_at IS NOT NULL AND learned_at < ?

-- name: forget_pace
UPDATE lanes SET learned_every_seconds = NULL, learned_at = NULL WHERE id = :lane_id
