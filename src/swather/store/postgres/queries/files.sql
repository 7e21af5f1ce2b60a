SELECT xid::text || ':' || id, task_id, part, seq, name, sha256, size_bytes, media_type
FROM swather.files
WHERE run_id = %(run_id)s AND (xid, id) > (%(xid)s::text::xid8, %(id)s)
  AND xid < %(horizon)s::text::xid8
ORDER BY xid, id
LIMIT %(limit)s
