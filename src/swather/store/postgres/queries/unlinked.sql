SELECT u.task_id, u.part, f.name, f.sha256, f.size_bytes, f.media_type
FROM (
    SELECT task_id, part FROM swather.unlinked
    WHERE (task_id, part) > (%(task_id)s, %(part)s)
    ORDER BY task_id, part
    LIMIT %(limit)s
) AS u
JOIN swather.files AS f ON f.task_id = u.task_id AND f.part = u.part
ORDER BY u.task_id, u.part, f.seq
