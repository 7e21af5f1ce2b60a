-- What a run allowed on its lanes has changed: the others there may look again.
UPDATE heads SET wake_at = 0, asleep = ''
WHERE asleep IN ('paced', 'full')
  AND lane_id IN (SELECT lane_id FROM heads WHERE run_id = :run_id AND lane_id <> 0)
  AND EXISTS (
      SELECT 1 FROM runs
      WHERE id = :run_id AND (lane_every_seconds > 0 OR lane_in_flight IS NOT NULL)
  )
  AND EXISTS (SELECT 1 FROM runs WHERE id <> :run_id AND state = 'open')
