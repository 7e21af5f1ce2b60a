UPDATE swather.runs AS r
SET state = 'finished', times_finished = times_finished + 1, finished_at = swather.clock()
WHERE r.id = %(run_id)s AND r.state = 'open'
  AND NOT EXISTS (
      SELECT FROM swather.workers AS w
      WHERE w.run_id = r.id AND w.state = 'live' AND w.kind = 'producer'
  )
  AND NOT EXISTS (SELECT FROM swather.scheduled AS s WHERE s.run_id = r.id)
  AND NOT EXISTS (
      SELECT FROM swather.heads AS h
      WHERE h.run_id = r.id
        AND (SELECT t.task_id FROM swather.ready AS t WHERE t.head_id = h.id LIMIT 1) IS NOT NULL
  )
  AND NOT EXISTS (SELECT FROM swather.leases AS l WHERE l.run_id = r.id)
RETURNING r.id
