SELECT DISTINCT task_id FROM pages
WHERE run_id = :run_id AND task_id > :after_id
ORDER BY task_id
LIMIT :limit
