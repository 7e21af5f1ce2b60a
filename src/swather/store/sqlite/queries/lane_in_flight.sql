-- The second condition lets SQLite see that the partial index will do.
SELECT (SELECT count(*) FROM leases WHERE lane_id = ?1 AND lane_id <> 0)
     + (SELECT coalesce(sum(n), 0) FROM requests WHERE lane_id = ?1)
