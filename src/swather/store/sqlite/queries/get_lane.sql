SELECT kind, name, every_seconds, burst, in_flight, paused, cool_until, cool_reason,
       CASE kind
           WHEN 'lane' THEN (SELECT count(*) FROM leases WHERE lane_id = l.id AND lane_id <> 0)
           ELSE (
               SELECT count(*) FROM leases
               WHERE run_id IN (SELECT id FROM runs WHERE scraper_lane_id = l.id)
           )
       END
FROM lanes AS l
WHERE kind = :kind AND name = :name
