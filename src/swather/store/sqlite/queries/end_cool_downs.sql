-- The long condition is that of the index lanes_limited.
UPDATE lanes SET cool_until = NULL, cool_reason = ''
WHERE (every_seconds > 0 OR in_flight IS NOT NULL OR paused OR cool_until IS NOT NULL)
  AND cool_until < :before
