UPDATE partitions SET owner_id = :worker_id
WHERE run_id = :run_id AND name IN (
    SELECT p.name FROM partitions AS p
    WHERE p.run_id = :run_id AND p.owner_id IS NULL
    ORDER BY (
        SELECT count(*) FROM heads AS h JOIN ready AS r ON r.head_id = h.id
        WHERE h.run_id = p.run_id AND h.partition = p.name
    ) DESC, p.name
    LIMIT :limit
)
