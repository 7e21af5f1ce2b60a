WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs)
SELECT g.every, g.burst, g.in_flight
FROM swather.lanes AS l
CROSS JOIN LATERAL (
    SELECT coalesce(max(o.every), 0) AS every,
           coalesce(min(o.lane_burst) FILTER (WHERE o.every > 0), 1) AS burst,
           min(o.lane_in_flight) AS in_flight
    FROM (
        SELECT lane_burst, lane_in_flight,
               CASE
                   WHEN rate_is_default AND l.is_public IS NOT TRUE THEN 0 ELSE lane_every_seconds
               END AS every
        FROM limiting
        WHERE l.id <> 0 AND (
            id = 0 OR (
                SELECT x.id FROM swather.heads AS x
                WHERE x.lane_id = l.id AND x.run_id = limiting.id LIMIT 1
            ) IS NOT NULL
        )
    ) AS o
) AS g
WHERE l.id = %(lane_id)s
