INSERT INTO swather.error_groups AS e (
    run_id, fingerprint, error_class, title, place, count, sample_task_id, sample_message,
    sample_traceback, first_at, last_at
)
SELECT g.*, (SELECT swather.clock()), (SELECT swather.clock())
FROM unnest(
    %(run_id)b::bigint[], %(fingerprint)b::text[], %(error_class)b::text[], %(title)b::text[],
    %(place)b::text[], %(times)b::bigint[], %(sample_task_id)b::bigint[],
    %(sample_message)b::text[], %(sample_traceback)b::text[]
) AS g
ORDER BY 1, 2
ON CONFLICT (run_id, fingerprint) DO UPDATE SET
    count = e.count + excluded.count,
    last_at = excluded.last_at,
    sample_task_id = excluded.sample_task_id,
    sample_message = excluded.sample_message,
    sample_traceback = excluded.sample_traceback
