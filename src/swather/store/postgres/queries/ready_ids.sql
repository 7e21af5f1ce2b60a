SELECT r.task_id AS id
FROM swather.heads AS h
CROSS JOIN generate_series(1, 10) AS p (priority)
CROSS JOIN LATERAL (
    SELECT task_id FROM swather.ready
    WHERE head_id = h.id AND priority = p.priority AND task_id > %(after_id)s
    ORDER BY task_id LIMIT %(limit)s
) AS r
WHERE h.run_id = %(run_id)s
ORDER BY r.task_id LIMIT %(limit)s
