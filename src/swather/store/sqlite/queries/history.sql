-- History: samples of counts, measurements of workers, and what becomes of old ones.

-- name: history_clock
SELECT sampled_at FROM history_clock

-- name: runs_to_sample
SELECT r.id, r.created_at, r.finished_at, h.last
FROM runs AS r
LEFT JOIN history_runs AS h ON h.run_id = r.id
WHERE r.state = 'open'
UNION ALL
SELECT r.id, r.created_at, r.finished_at, h.last
FROM runs AS r
LEFT JOIN history_runs AS h ON h.run_id = r.id
WHERE r.finished_at > :ended_after AND r.state <> 'open'

-- name: counts_to_sample
SELECT name, n FROM counters
WHERE run_id = ?
  AND name IN (
      'completed', 'failed', 'cancelled', 'retries', 'items', 'ready', 'scheduled', 'leased'
  )

-- name: last_sampled
SELECT last FROM history_runs WHERE run_id = ?

-- name: set_last_sampled
INSERT INTO history_runs (run_id, last) VALUES (?, ?)
ON CONFLICT (run_id) DO UPDATE SET last = excluded.last

-- name: add_samples
INSERT OR REPLACE INTO history_samples (
    run_id, at, completed, failed, cancelled, retried, items, ready, scheduled, leased
)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: set_sampled
UPDATE history_clock SET sampled_at = :now

-- name: run_times
SELECT created_at, finished_at FROM runs WHERE id = :run_id

-- name: sample_before
SELECT at, completed, failed, cancelled, retried, items, ready, scheduled, leased
FROM history_samples
WHERE run_id = :run_id AND at <= :start
ORDER BY at DESC
LIMIT 1

-- name: sample_after
SELECT at, completed, failed, cancelled, retried, items, ready, scheduled, leased
FROM history_samples
WHERE run_id = :run_id AND at > :start
ORDER BY at
LIMIT 1

-- name: samples_between
-- The last of each point: with max(), the other columns are of the row that has it.
SELECT max(at), completed, failed, cancelled, retried, items, ready, scheduled, leased
FROM history_samples
WHERE run_id = :run_id AND at > :start AND at <= :end
GROUP BY CAST((at - :start) / :step AS INTEGER)

-- name: measurements_since
SELECT at, seconds, data FROM measurements
WHERE run_id = :run_id AND at > :start - 600 AND at + seconds > :start

-- name: run_numbers
SELECT name, id FROM runs WHERE name IN (SELECT value FROM json_each(?))

-- name: get_measurement
SELECT data FROM measurements WHERE run_id = :run_id AND at = :at AND shard = 0

-- name: set_measurement
INSERT INTO measurements (run_id, at, shard, seconds, data) VALUES (:run_id, :at, 0, :seconds, :data)
ON CONFLICT (run_id, at, shard) DO UPDATE SET data = excluded.data

-- name: history_thinned
SELECT thinned_to, minutes_to, spans_to FROM history_clock

-- name: first_sample_after
SELECT min(at) FROM history_samples WHERE at >= ?

-- name: thin_samples
DELETE FROM history_samples AS s
WHERE s.at >= :start AND s.at < :end
  AND EXISTS (
      SELECT 1 FROM history_samples AS n
      WHERE n.run_id = s.run_id AND n.at > s.at AND n.at < (CAST(s.at / 60 AS INTEGER) + 1) * 60
  )

-- name: first_measurement_after
SELECT min(at) FROM measurements WHERE at >= ?

-- name: measurements_to_merge
SELECT run_id, at, shard, data FROM measurements WHERE at >= :start AND at < :end

-- name: drop_measurement
DELETE FROM measurements WHERE run_id = ? AND at = ? AND shard = ?

-- name: set_thinned_to
UPDATE history_clock SET thinned_to = ?

-- name: set_minutes_to
UPDATE history_clock SET minutes_to = ?

-- name: set_spans_to
UPDATE history_clock SET spans_to = ?

-- name: drop_old_samples
DELETE FROM history_samples
WHERE (run_id, at) IN (SELECT run_id, at FROM history_samples WHERE at < :before LIMIT :limit)

-- name: drop_old_measurements
DELETE FROM measurements
WHERE (run_id, at, shard) IN (
    SELECT run_id, at, shard FROM measurements WHERE at < :before LIMIT :limit
)
