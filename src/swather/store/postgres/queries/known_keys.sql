SELECT t.key
FROM unnest(%(keys)b::bytea[]) AS k (key)
CROSS JOIN LATERAL (
    SELECT key FROM swather.tasks WHERE run_id = %(run_id)s AND key = k.key OFFSET 0
) AS t
