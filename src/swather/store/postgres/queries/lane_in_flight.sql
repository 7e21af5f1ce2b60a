SELECT n FROM swather.lanes_in_flight(ARRAY[%(lane_id)s::bigint])
