-- The number below which nothing more will be written here: the oldest transaction that still runs,
-- leaving out those of other databases, which cannot write to this one.
--
-- A transaction counts as another database's only if its backend holds the lock on its number and is
-- connected there. Backends are listed before the locks are: one that held its number from before
-- the snapshot until the locks were read was there in between, and no other had its pid.
-- Rows must be read by a later statement, which sees what has ended during this one.
SELECT CASE
    -- A standby's snapshot does not list the transactions that run on its primary.
    WHEN pg_is_in_recovery() THEN pg_snapshot_xmin(pg_current_snapshot())
    ELSE coalesce(
        (
            SELECT running.xid
            FROM pg_snapshot_xip(pg_current_snapshot()) AS running (xid)
            WHERE running.xid::xid <> ALL (ARRAY(
                SELECT locks.transactionid
                FROM (
                    SELECT array_agg(pid) AS pids
                    FROM pg_stat_get_activity(NULL)
                    WHERE datid <> (SELECT oid FROM pg_database WHERE datname = current_database())
                ) AS elsewhere
                CROSS JOIN LATERAL (
                    SELECT transactionid FROM pg_lock_status()
                    WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock' AND granted
                      AND pid = ANY (elsewhere.pids)
                    OFFSET 0
                ) AS locks
                UNION ALL
                SELECT transaction FROM pg_prepared_xacts WHERE database <> current_database()
            ))
            AND pg_xact_status(running.xid) = 'in progress'
            ORDER BY running.xid
            LIMIT 1
        ),
        pg_snapshot_xmax(pg_current_snapshot())
    )
END::text
