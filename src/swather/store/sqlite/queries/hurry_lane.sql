-- After its interval has become shorter: the next start is due no later than the limits in force can
-- explain, those of runs for their lanes among them.
UPDATE lanes
SET tat = min(tat, :now + max(every_seconds * burst, coalesce((
    SELECT max(r.lane_every_seconds * r.lane_burst)
    FROM heads AS h
    JOIN runs AS r ON r.id = h.run_id
    WHERE h.lane_id = :lane_id AND r.state = 'open'
), 0)))
WHERE id = :lane_id
