SELECT task_id, token, run_id, target, priority, lane, partition, parent_id, head_id,
       attempts, blocked, proxy, crashes, crashes_alone,
       CASE WHEN replaces THEN NULL ELSE part END,
       CASE WHEN replaces THEN NULL ELSE cursor END
FROM known
