SELECT kind, name, set_every_seconds, set_burst, in_flight, paused, cool_until, cool_reason,
       CASE kind
           WHEN 'lane' THEN (
               SELECT count(*) FROM leases WHERE lane_id = l.id AND lane_id <> 0
           ) + (SELECT coalesce(sum(n), 0) FROM requests WHERE lane_id = l.id)
           ELSE (
               SELECT count(*) FROM leases
               WHERE run_id IN (SELECT id FROM runs WHERE scraper_lane_id = l.id)
           )
       END,
       iif(forgiven_at <= :now, 0, strikes), learned_every_seconds, crawl_delay_seconds,
       id, is_public
FROM lanes AS l
WHERE kind = :kind AND name = :name
