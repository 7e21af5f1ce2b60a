UPDATE heads SET wake_at = 0, asleep = '' WHERE lane_id = :lane_id AND asleep NOT IN ('', 'empty')
