SELECT coalesce(sum(n), 0)::bigint FROM swather.counters
WHERE run_id = %(run_id)s
  AND name IN ('scheduled', 'ready', 'leased', 'completed', 'failed', 'cancelled')
