UPDATE lanes
SET strikes = :strikes, cool_until = :until, cool_reason = :reason, forgiven_at = :forgiven_at
WHERE id = :lane_id
