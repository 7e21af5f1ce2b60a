UPDATE swather.lanes
SET tat = least(tat, swather.clock() + %(seconds)s * interval '1 second')
WHERE id = %(lane_id)s
