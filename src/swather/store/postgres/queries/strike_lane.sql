UPDATE swather.lanes
SET strikes = %(strikes)s, cool_reason = %(reason)s,
    cool_until = to_timestamp(%(until)s), forgiven_at = to_timestamp(%(forgiven_at)s)
WHERE id = %(lane_id)s
