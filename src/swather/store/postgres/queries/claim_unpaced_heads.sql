-- As claim_heads, for tasks that will touch no site: nothing holds them back, no owner of a partition
-- either, and they take no place in flight on their lane.
WITH open AS MATERIALIZED (
    SELECT o.head_id, o.priority, o.above, o.below, o.quota,
           h.run_id, 0::bigint AS lane_id, h.partition, l.name AS lane, r.version
    FROM unnest(
        %(heads)b::bigint[], %(priorities)b::smallint[], %(above)b::bigint[], %(below)b::bigint[],
        %(quotas)b::integer[]
    ) WITH ORDINALITY AS o (head_id, priority, above, below, quota, place)
    CROSS JOIN LATERAL (
        SELECT run_id, lane_id, partition FROM swather.heads WHERE id = o.head_id OFFSET 0
    ) AS h
    CROSS JOIN LATERAL (
        SELECT version FROM swather.runs WHERE id = h.run_id AND state = 'open' OFFSET 0
    ) AS r
    CROSS JOIN LATERAL (
        SELECT name FROM swather.lanes WHERE id = h.lane_id OFFSET 0
    ) AS l
    WHERE EXISTS (
          SELECT FROM swather.workers
          WHERE id = %(worker_id)s AND state = 'live' AND expires_at > swather.clock()
            AND NOT paused AND (cool_until IS NULL OR cool_until <= swather.clock())
      )
    ORDER BY o.place
),
