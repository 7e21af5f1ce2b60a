DELETE FROM swather.breakers WHERE lane_id = %(lane_id)s
