UPDATE leases SET lane_id = 0 WHERE task_id = ?1 AND token = ?2
