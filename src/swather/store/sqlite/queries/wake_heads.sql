UPDATE heads
SET best = max(best, :best),
    wake_at = iif(asleep = 'empty', 0, wake_at),
    asleep = iif(asleep = 'empty', '', asleep)
WHERE id = :head_id AND (best < :best OR asleep = 'empty')
