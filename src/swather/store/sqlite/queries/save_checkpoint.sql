INSERT INTO checkpoints (task_id, run_id, part, cursor, version, at)
SELECT :task_id, :run_id, :part, :cursor, version, :now FROM runs WHERE id = :run_id
ON CONFLICT (task_id) DO UPDATE SET
    part = excluded.part, cursor = excluded.cursor, version = excluded.version, at = excluded.at
