WITH given AS (
    SELECT g.*
    FROM unnest(
        %(task_id)b::bigint[], %(run_id)b::bigint[], %(head_id)b::bigint[],
        %(priority)b::smallint[], %(due_in_seconds)b::float8[]
    ) AS g (task_id, run_id, head_id, priority, due_in_seconds)
),
timed AS (
    INSERT INTO swather.scheduled (task_id, run_id, head_id, priority, due_at)
    SELECT task_id, run_id, head_id, priority,
           (SELECT swather.clock()) + due_in_seconds * interval '1 second'
    FROM given
    WHERE due_in_seconds > 0
)
INSERT INTO swather.ready (head_id, priority, task_id)
SELECT head_id, priority, task_id FROM given WHERE due_in_seconds <= 0
