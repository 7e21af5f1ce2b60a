SELECT fingerprint, error_class, title, place, count, first_at, last_at,
       sample_task_id, sample_message, sample_traceback
FROM error_groups
WHERE run_id = :run_id
ORDER BY count DESC, last_at DESC
LIMIT :limit
