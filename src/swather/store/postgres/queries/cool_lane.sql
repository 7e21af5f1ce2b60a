UPDATE swather.lanes
SET cool_until = swather.clock() + %(seconds)s * interval '1 second', cool_reason = %(reason)s
WHERE id = %(lane_id)s
  AND (
      cool_until IS NULL
      OR cool_until < swather.clock() + %(seconds)s * interval '1 second'
  )
