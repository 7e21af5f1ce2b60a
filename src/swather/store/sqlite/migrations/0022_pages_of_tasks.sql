-- For pages about ten million tasks.

-- The ids of a run, in order, whatever other runs there are.
CREATE INDEX tasks_run ON tasks (run_id);

-- Muted: people do not want to see this group.
ALTER TABLE error_groups ADD COLUMN muted INTEGER NOT NULL DEFAULT 0;
CREATE INDEX error_groups_last ON error_groups (last_at);

-- One row: whether anybody works, how many workers there are and are wanted, and what all runs have
-- done. It is made of rows that outlive every process.
CREATE VIEW v_jobs AS
SELECT iif(active_workers > 0 OR num_workers > 0, 'running', 'idle') AS status,
       active_workers, num_workers, total_processed, total_failed
FROM (
    SELECT (
               SELECT count(*) FROM workers
               WHERE state = 'live' AND kind = 'worker'
                 AND beat_at + lease_seconds > (julianday('now') - 2440587.5) * 86400.0
           ) AS active_workers,
           (
               SELECT coalesce(sum(wanted), 0) FROM supervisors
               WHERE state = 'live' AND stops = 0
                 AND beat_at + lease_seconds > (julianday('now') - 2440587.5) * 86400.0
           ) AS num_workers,
           (
               SELECT coalesce(sum(n), 0) FROM counters WHERE name = 'completed'
           ) AS total_processed,
           (SELECT coalesce(sum(n), 0) FROM counters WHERE name = 'failed') AS total_failed
);
