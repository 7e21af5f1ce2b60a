-- The beginning of a claim (then come a pick, claim_take and claimed): which of the heads it was
-- offered may give tasks to this worker as things stand now. Lanes and scrapers that the claim has
-- locked are held already. Rows are looked up one by one (OFFSET 0), since the plan is kept while the
-- tables grow from nothing to millions.
WITH limiting AS MATERIALIZED (SELECT * FROM swather.limiting_runs),
open AS MATERIALIZED (
    SELECT o.head_id, o.priority, o.above, o.below, o.quota,
           h.run_id, h.lane_id, h.partition, l.name AS lane, r.version
    FROM unnest(
        %(heads)b::bigint[], %(priorities)b::smallint[], %(above)b::bigint[], %(below)b::bigint[],
        %(quotas)b::integer[], %(lanes_held)b::boolean[], %(scrapers_held)b::boolean[]
    ) WITH ORDINALITY AS o (
        head_id, priority, above, below, quota, lane_held, scraper_held, place
    )
    CROSS JOIN LATERAL (
        SELECT run_id, lane_id, partition FROM swather.heads WHERE id = o.head_id OFFSET 0
    ) AS h
    CROSS JOIN LATERAL (
        SELECT version, scraper_lane_id
        FROM swather.runs
        WHERE id = h.run_id AND state = 'open' AND NOT paused
          AND (cool_until IS NULL OR cool_until <= swather.clock())
        OFFSET 0
    ) AS r
    CROSS JOIN LATERAL (
        SELECT name, limited, tripped, is_public FROM swather.lanes WHERE id = h.lane_id OFFSET 0
    ) AS l
    CROSS JOIN LATERAL (
        SELECT limited FROM swather.lanes WHERE id = r.scraper_lane_id OFFSET 0
    ) AS s
    WHERE EXISTS (
          SELECT FROM swather.workers
          WHERE id = %(worker_id)s AND state = 'live' AND expires_at > swather.clock()
            AND NOT paused AND (cool_until IS NULL OR cool_until <= swather.clock())
      )
      AND (o.scraper_held OR NOT s.limited)
      AND (
          o.lane_held OR NOT (
              l.limited
              OR EXISTS (
                  SELECT FROM limiting AS g
                  WHERE h.lane_id <> 0
                    AND (
                        g.lane_in_flight IS NOT NULL
                        OR (g.lane_every_seconds > 0 AND (l.is_public OR NOT g.rate_is_default))
                    )
                    AND (
                        g.id = h.run_id OR (
                            SELECT x.id FROM swather.heads AS x
                            WHERE x.lane_id = h.lane_id AND x.run_id = g.id LIMIT 1
                        ) IS NOT NULL
                    )
              )
              OR (
                  l.tripped AND EXISTS (
                      SELECT FROM swather.breakers AS b
                      WHERE b.lane_id = h.lane_id AND b.scraper_id = r.scraper_lane_id
                  )
              )
          )
      )
      AND (
          h.partition = '' OR %(worker_id)s = (
              SELECT owner_id FROM swather.partitions
              WHERE run_id = h.run_id AND name = h.partition
          )
      )
    ORDER BY o.place
),
