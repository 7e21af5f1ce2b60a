SELECT CASE
    WHEN EXISTS (SELECT 1 FROM leases WHERE task_id = :task_id AND token = :token)
        THEN 'pending'
    WHEN EXISTS (SELECT 1 FROM outcomes WHERE task_id = :task_id AND token = :token)
        OR EXISTS (SELECT 1 FROM faults WHERE task_id = :task_id AND token = :token)
        THEN 'committed'
    ELSE 'superseded'
END
