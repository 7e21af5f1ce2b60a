INSERT INTO error_groups (
    run_id, fingerprint, error_class, title, place, count,
    sample_task_id, sample_message, sample_traceback, first_at, last_at
)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run_id, fingerprint) DO UPDATE SET
    count = count + excluded.count,
    last_at = excluded.last_at,
    sample_task_id = excluded.sample_task_id,
    sample_message = excluded.sample_message,
    sample_traceback = excluded.sample_traceback
