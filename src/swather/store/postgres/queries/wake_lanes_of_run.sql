-- What a run allowed on its lanes has changed: the others there may look again.
UPDATE swather.heads
SET wake_at = '-infinity', asleep = ''
WHERE id IN (
    SELECT id FROM swather.heads
    WHERE id = ANY(ARRAY(
        SELECT h.id
        FROM swather.runs AS r
        CROSS JOIN LATERAL (
            SELECT lane_id FROM swather.heads WHERE run_id = r.id AND lane_id <> 0 OFFSET 0
        ) AS o
        CROSS JOIN LATERAL (
            SELECT id FROM swather.heads
            WHERE lane_id = o.lane_id AND asleep IN ('paced', 'full')
            OFFSET 0
        ) AS h
        WHERE r.id = %(run_id)s AND (r.lane_every_seconds > 0 OR r.lane_in_flight IS NOT NULL)
          AND EXISTS (SELECT FROM swather.runs WHERE id <> %(run_id)s AND state = 'open')
    ))
    ORDER BY id
    FOR NO KEY UPDATE
)
