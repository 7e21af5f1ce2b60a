-- Runs whose items or files bear transaction numbers that this server has not reached: they were
-- restored from another server's backup, and would not be read.
SELECT r.id, r.name
FROM swather.runs AS r
WHERE pg_snapshot_xmax(pg_current_snapshot()) <= (
    SELECT xid FROM swather.items WHERE run_id = r.id ORDER BY xid DESC LIMIT 1
)
OR pg_snapshot_xmax(pg_current_snapshot()) <= (
    SELECT xid FROM swather.files WHERE run_id = r.id ORDER BY xid DESC LIMIT 1
)
