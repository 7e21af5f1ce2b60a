SELECT i.xid::text || ':' || i.id, i.task_id, i.part, i.seq, i.key, i.data,
       (SELECT o.state FROM swather.outcomes AS o WHERE o.task_id = i.task_id)
           IS DISTINCT FROM 'completed'
FROM swather.items AS i
WHERE i.run_id = %(run_id)s AND (i.xid, i.id) > (%(xid)s::text::xid8, %(id)s)
  AND i.xid < %(horizon)s::text::xid8
ORDER BY i.xid, i.id
LIMIT %(limit)s
