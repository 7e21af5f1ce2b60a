UPDATE leases SET progress = :progress WHERE task_id = :task_id AND token = :token
