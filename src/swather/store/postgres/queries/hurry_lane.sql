-- After its interval has become shorter: the next start is due no later than the limits in force can
-- explain, those of runs for their lanes among them.
UPDATE swather.lanes AS l
SET tat = least(tat, swather.clock() + interval '1 second' * greatest(every_seconds * burst, (
    SELECT max(r.lane_every_seconds * r.lane_burst)
    FROM swather.heads AS h
    CROSS JOIN LATERAL (
        SELECT lane_every_seconds, lane_burst
        FROM swather.runs
        WHERE id = h.run_id AND state = 'open'
        OFFSET 0
    ) AS r
    WHERE h.lane_id = l.id
)))
WHERE id = %(lane_id)s
