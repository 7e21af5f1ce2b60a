-- The last row says which heads were open, and for how much each.
SELECT task_id, token, run_id, target, priority, lane, partition, parent_id, head_id,
       attempts, blocked, proxy, crashes, crashes_alone,
       CASE WHEN replaces THEN NULL ELSE part END,
       CASE WHEN replaces THEN NULL ELSE cursor END,
       NULL
FROM known
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       (SELECT string_agg(head_id || ' ' || quota, ' ') FROM open)
