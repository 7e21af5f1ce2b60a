-- For pages about ten million tasks.

-- Muted: people do not want to see this group.
ALTER TABLE swather.error_groups ADD COLUMN muted boolean NOT NULL DEFAULT false;

-- One row: whether anybody works, how many workers there are and are wanted, and what all runs have
-- done. It is made of rows that outlive every process.
CREATE VIEW swather.v_jobs AS
SELECT CASE WHEN active_workers > 0 OR num_workers > 0 THEN 'running' ELSE 'idle' END AS status,
       active_workers, num_workers, total_processed, total_failed
FROM (
    SELECT (
               SELECT count(*) FROM swather.workers
               WHERE state = 'live' AND kind = 'worker' AND expires_at > swather.clock()
           ) AS active_workers,
           (
               SELECT coalesce(sum(wanted), 0)::bigint FROM swather.supervisors
               WHERE state = 'live' AND stops = 0 AND expires_at > swather.clock()
           ) AS num_workers,
           (
               SELECT coalesce(sum(n), 0)::bigint FROM swather.counters WHERE name = 'completed'
           ) AS total_processed,
           (
               SELECT coalesce(sum(n), 0)::bigint FROM swather.counters WHERE name = 'failed'
           ) AS total_failed
) AS summed;
