DELETE FROM leases WHERE token = ?1 AND task_id IN carray(?2)
