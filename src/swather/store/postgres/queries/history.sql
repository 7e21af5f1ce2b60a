-- History: samples of counts, measurements of workers, and what becomes of old ones.

-- name: history_clock
SELECT extract(epoch FROM sampled_at)::float8, extract(epoch FROM swather.clock())::float8
FROM swather.history_clock

-- name: lock_history_clock
-- No row if another process is at it.
SELECT extract(epoch FROM sampled_at)::float8, extract(epoch FROM swather.clock())::float8
FROM swather.history_clock
FOR UPDATE SKIP LOCKED

-- name: runs_to_sample
SELECT r.id, extract(epoch FROM r.created_at)::float8, extract(epoch FROM r.finished_at)::float8,
       (SELECT last FROM swather.history_runs WHERE run_id = r.id)
FROM swather.runs AS r
WHERE r.state = 'open'
UNION ALL
SELECT r.id, extract(epoch FROM r.created_at)::float8, extract(epoch FROM r.finished_at)::float8,
       (SELECT last FROM swather.history_runs WHERE run_id = r.id)
FROM swather.runs AS r
WHERE r.finished_at > to_timestamp(%(ended_after)s) AND r.state <> 'open'

-- name: counts_to_sample
SELECT run_id, name, sum(n)::bigint
FROM swather.counters
WHERE run_id = ANY(%(runs)b::bigint[])
  AND name IN (
      'completed', 'failed', 'cancelled', 'retries', 'items', 'ready', 'scheduled', 'leased'
  )
GROUP BY run_id, name

-- name: last_sampled
SELECT last FROM swather.history_runs WHERE run_id = %(run_id)s

-- name: set_last_sampled
INSERT INTO swather.history_runs (run_id, last)
SELECT l.* FROM unnest(%(runs)b::bigint[], %(lasts)b::text[]) AS l
ON CONFLICT (run_id) DO UPDATE SET last = excluded.last

-- name: add_samples
INSERT INTO swather.history_samples AS s (
    run_id, at, completed, failed, cancelled, retried, items, ready, scheduled, leased
)
SELECT g.run_id, to_timestamp(g.at), g.completed, g.failed, g.cancelled, g.retried, g.items, g.ready,
       g.scheduled, g.leased
FROM unnest(
    %(run_id)b::bigint[], %(at)b::float8[], %(completed)b::bigint[], %(failed)b::bigint[],
    %(cancelled)b::bigint[], %(retried)b::bigint[], %(items)b::bigint[], %(ready)b::bigint[],
    %(scheduled)b::bigint[], %(leased)b::bigint[]
) AS g (
    run_id, at, completed, failed, cancelled, retried, items, ready, scheduled, leased
)
ON CONFLICT (run_id, at) DO UPDATE SET
    completed = excluded.completed, failed = excluded.failed, cancelled = excluded.cancelled,
    retried = excluded.retried, items = excluded.items, ready = excluded.ready,
    scheduled = excluded.scheduled, leased = excluded.leased

-- name: set_sampled
UPDATE swather.history_clock SET sampled_at = to_timestamp(%(now)s)

-- name: run_times
SELECT extract(epoch FROM created_at)::float8, extract(epoch FROM finished_at)::float8
FROM swather.runs WHERE id = %(run_id)s

-- name: sample_before
SELECT extract(epoch FROM at)::float8, completed, failed, cancelled, retried, items, ready, scheduled,
       leased
FROM swather.history_samples
WHERE run_id = %(run_id)s AND at <= to_timestamp(%(start)s)
ORDER BY at DESC
LIMIT 1

-- name: sample_after
SELECT extract(epoch FROM at)::float8, completed, failed, cancelled, retried, items, ready, scheduled,
       leased
FROM swather.history_samples
WHERE run_id = %(run_id)s AND at > to_timestamp(%(start)s)
ORDER BY at
LIMIT 1

-- name: samples_between
-- The last of each point.
SELECT DISTINCT ON (point) s.epoch, completed, failed, cancelled, retried, items, ready, scheduled,
       leased
FROM (
    SELECT *, extract(epoch FROM at)::float8 AS epoch,
           floor((extract(epoch FROM at)::float8 - %(start)s) / %(step)s) AS point
    FROM swather.history_samples
    WHERE run_id = %(run_id)s AND at > to_timestamp(%(start)s) AND at <= to_timestamp(%(end)s)
) AS s
ORDER BY point, at DESC

-- name: measurements_since
SELECT extract(epoch FROM at)::float8, seconds, data
FROM swather.measurements
WHERE run_id = %(run_id)s AND at > to_timestamp(%(start)s - 600)
  AND at + seconds * interval '1 second' > to_timestamp(%(start)s)

-- name: run_numbers
SELECT name, id FROM swather.runs WHERE name = ANY(%(names)b::text[])

-- name: lock_measurements
-- In order of the run, so that two who write to the same rows lock them in one order.
INSERT INTO swather.measurements AS m (run_id, at, shard, seconds, data)
SELECT r.id, date_trunc('minute', swather.clock()), %(shard)s, 60, '{}'
FROM unnest(%(runs)b::bigint[]) AS r (id)
ORDER BY r.id
ON CONFLICT (run_id, at, shard) DO UPDATE SET seconds = m.seconds
RETURNING m.run_id, m.at, m.data

-- name: set_measurements
UPDATE swather.measurements AS m SET data = g.data
FROM unnest(%(runs)b::bigint[], %(data)b::text[]) AS g (run_id, data)
WHERE m.run_id = g.run_id AND m.at = %(at)s AND m.shard = %(shard)s

-- name: history_thinned
-- No row if another process is at it.
SELECT extract(epoch FROM thinned_to)::float8, extract(epoch FROM minutes_to)::float8,
       extract(epoch FROM spans_to)::float8, extract(epoch FROM swather.clock())::float8
FROM swather.history_clock
FOR UPDATE SKIP LOCKED

-- name: first_sample_after
SELECT extract(epoch FROM at)::float8 FROM swather.history_samples
WHERE at >= to_timestamp(%(since)s)
ORDER BY at LIMIT 1

-- name: thin_samples
WITH gone AS (
    DELETE FROM swather.history_samples AS s
    WHERE s.at >= to_timestamp(%(start)s) AND s.at < to_timestamp(%(end)s)
      AND (
          SELECT n.at FROM swather.history_samples AS n
          WHERE n.run_id = s.run_id AND n.at > s.at
            AND n.at < date_trunc('minute', s.at) + interval '1 minute'
          LIMIT 1
      ) IS NOT NULL
    RETURNING s.at
)
SELECT count(*) FROM gone

-- name: first_measurement_after
SELECT extract(epoch FROM at)::float8 FROM swather.measurements
WHERE at >= to_timestamp(%(since)s)
ORDER BY at LIMIT 1

-- name: measurements_to_merge
SELECT run_id, extract(epoch FROM at)::float8, shard, data
FROM swather.measurements
WHERE at >= to_timestamp(%(start)s) AND at < to_timestamp(%(end)s)
ORDER BY run_id
FOR UPDATE

-- name: drop_measurements
DELETE FROM swather.measurements AS m
USING unnest(%(run_id)b::bigint[], %(at)b::float8[], %(shard)b::integer[]) AS g (run_id, at, shard)
WHERE m.run_id = g.run_id AND m.at = to_timestamp(g.at) AND m.shard = g.shard

-- name: add_measurement
INSERT INTO swather.measurements (run_id, at, shard, seconds, data)
VALUES (%(run_id)s, to_timestamp(%(at)s), 0, %(seconds)s, %(data)s)

-- name: set_thinned_to
UPDATE swather.history_clock SET thinned_to = to_timestamp(%(since)s)

-- name: set_minutes_to
UPDATE swather.history_clock SET minutes_to = to_timestamp(%(since)s)

-- name: set_spans_to
UPDATE swather.history_clock SET spans_to = to_timestamp(%(since)s)

-- name: drop_old_samples
WITH gone AS (
    DELETE FROM swather.history_samples
    WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM swather.history_samples
        WHERE at < to_timestamp(%(before)s)
        LIMIT %(limit)s
    ))
    RETURNING at
)
SELECT count(*) FROM gone

-- name: drop_old_measurements
WITH gone AS (
    DELETE FROM swather.measurements
    WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM swather.measurements
        WHERE at < to_timestamp(%(before)s)
        LIMIT %(limit)s
    ))
    RETURNING at
)
SELECT count(*) FROM gone
