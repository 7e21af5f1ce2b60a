UPDATE lanes SET cool_until = :until, cool_reason = :reason
WHERE id = :lane_id AND (cool_until IS NULL OR cool_until < :until)
