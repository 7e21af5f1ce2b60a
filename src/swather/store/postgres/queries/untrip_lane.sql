UPDATE swather.lanes
SET tripped = EXISTS (SELECT FROM swather.breakers WHERE lane_id = %(lane_id)s)
WHERE id = %(lane_id)s
