SELECT f.task_id, f.token,
       CASE
           WHEN f.token = (SELECT token FROM swather.leases WHERE task_id = f.task_id)
               THEN 'pending'
           WHEN f.token = (SELECT token FROM swather.outcomes WHERE task_id = f.task_id)
               OR f.token = (SELECT token FROM swather.faults WHERE task_id = f.task_id)
               THEN 'committed'
           ELSE 'superseded'
       END
FROM unnest(%(tasks)b::bigint[], %(tokens)b::bigint[]) AS f (task_id, token)
