INSERT INTO swather.checkpoints (task_id, run_id, part, cursor, version, at)
SELECT %(task_id)s, id, %(part)s, %(cursor)s, version, swather.clock()
FROM swather.runs
WHERE id = %(run_id)s
ON CONFLICT (task_id) DO UPDATE SET
    part = excluded.part, cursor = excluded.cursor, version = excluded.version, at = excluded.at
