INSERT INTO item_heirs (run_id, key, task_id, part, seq)
SELECT :run_id, :key, :task_id, :part, :seq
WHERE NOT EXISTS (
    SELECT 1 FROM items WHERE task_id = :task_id AND part = :part AND seq = :seq
)
ON CONFLICT DO NOTHING
