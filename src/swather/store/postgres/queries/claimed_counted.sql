SELECT task_id, token, run_id, target, priority, lane, partition, parent_id, head_id,
       attempts, blocked, proxy, crashes, crashes_alone,
       CASE WHEN replaces THEN NULL ELSE part END,
       CASE WHEN replaces THEN NULL ELSE cursor END,
       NULL::bigint[], NULL::integer[], NULL::bigint[]
FROM known
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       ARRAY(SELECT head_id FROM open), ARRAY(SELECT quota FROM open),
       ARRAY(SELECT head_id FROM offered WHERE quota <= 0)
