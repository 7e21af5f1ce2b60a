-- Sessions and what they hold. No twin: SQLite does not know who holds its locks.

-- name: transactions
-- Other sessions that have written or locked something in this database, the oldest first. Of other
-- users' sessions an ordinary role sees neither times nor states.
WITH locking AS MATERIALIZED (
    SELECT pid, bool_or(locktype = 'relation') AS holds_locks
    FROM pg_lock_status()
    WHERE granted AND pid <> pg_backend_pid()
      AND (
          (locktype = 'transactionid' AND mode = 'ExclusiveLock')
          OR (
              locktype = 'relation' AND mode <> 'AccessShareLock'
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
              AND relation = ANY (ARRAY(
                  SELECT oid FROM pg_class
                  WHERE relnamespace = 'swather'::regnamespace AND relkind = 'r'
              ))
          )
      )
    GROUP BY pid
)
SELECT a.pid, a.application_name, a.usename::text, coalesce(host(a.client_addr), ''),
       extract(epoch FROM clock_timestamp() - a.xact_start)::float8 AS seconds,
       CASE
           WHEN a.wait_event IN ('ClientRead', 'ClientWrite')
           THEN extract(epoch FROM clock_timestamp() - a.state_change)::float8
           WHEN a.state IS NOT NULL THEN 0
       END,
       l.holds_locks, a.application_name = current_setting('application_name'), a.state_change
FROM locking AS l
JOIN pg_stat_activity AS a USING (pid)
WHERE a.datname = current_database()
UNION ALL
SELECT NULL, gid, owner::text, '', extract(epoch FROM clock_timestamp() - prepared)::float8,
       NULL, true, false, prepared
FROM pg_prepared_xacts
WHERE database = current_database()
ORDER BY seconds DESC NULLS LAST, pid

-- name: is_waiting
-- For its client.
SELECT coalesce(wait_event IN ('ClientRead', 'ClientWrite'), false)
FROM pg_stat_activity WHERE pid = %(pid)s

-- name: end_session
SELECT pg_terminate_backend(pid)
FROM pg_stat_activity
WHERE pid = %(pid)s AND datname = current_database() AND usename = current_user
  AND application_name = current_setting('application_name')
  AND wait_event IN ('ClientRead', 'ClientWrite')
