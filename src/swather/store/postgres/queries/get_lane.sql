SELECT l.kind, l.name, l.set_every_seconds, l.set_burst, l.in_flight, l.paused, l.cool_until,
       l.cool_reason,
       CASE l.kind
           WHEN 'lane' THEN (
               SELECT count(*) FROM swather.leases WHERE lane_id = l.id AND lane_id <> 0
           ) + (SELECT coalesce(sum(n), 0)::bigint FROM swather.requests WHERE lane_id = l.id)
           ELSE (
               SELECT count(*) FROM swather.leases
               WHERE run_id IN (SELECT id FROM swather.runs WHERE scraper_lane_id = l.id)
           )
       END,
       CASE WHEN l.forgiven_at <= swather.clock() THEN 0 ELSE l.strikes END,
       l.learned_every_seconds, l.crawl_delay_seconds
FROM swather.lanes AS l
WHERE l.kind = %(kind)s AND l.name = %(name)s
