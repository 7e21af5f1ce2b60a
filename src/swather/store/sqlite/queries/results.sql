-- Items and files, and which files have no name yet.

-- name: add_items
INSERT INTO items (run_id, task_id, part, seq, key, data) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: add_heirs
INSERT INTO item_heirs (run_id, key, task_id, part, seq)
SELECT :run_id, :key, :task_id, :part, :seq
WHERE NOT EXISTS (
    SELECT 1 FROM items WHERE task_id = :task_id AND part = :part AND seq = :seq
)
ON CONFLICT DO NOTHING

-- name: heirs
SELECT i.id, h.run_id, h.key, min(h.task_id), h.part, h.seq
FROM items AS i
JOIN item_heirs AS h ON h.run_id = i.run_id AND h.key = i.key AND h.task_id <> i.task_id
WHERE i.task_id = ?
GROUP BY i.id

-- name: drop_heir
DELETE FROM item_heirs WHERE (run_id, key, task_id, part, seq) = (?, ?, ?, ?, ?)

-- name: disinherit
DELETE FROM item_heirs WHERE task_id = ?

-- name: pass_on_item
UPDATE items SET task_id = ?, part = ?, seq = ? WHERE id = ?

-- name: keep_outdated
INSERT INTO outdated_items (id, run_id, task_id, part, seq, key, data)
SELECT id, run_id, task_id, part, seq, key, data FROM items WHERE task_id = ?
ON CONFLICT DO NOTHING

-- name: outdated_items
SELECT id, task_id, part, seq, key, data, 1
FROM outdated_items
WHERE run_id = :run_id AND id > :after
ORDER BY id
LIMIT :limit

-- name: add_files
INSERT INTO files (run_id, task_id, part, seq, name, sha256, size_bytes, media_type)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: add_unlinked
INSERT INTO unlinked (task_id, part) VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: items
SELECT i.id, i.task_id, i.part, i.seq, i.key, i.data,
       NOT EXISTS (SELECT 1 FROM outcomes WHERE task_id = i.task_id AND state = 'completed')
FROM items AS i
WHERE i.run_id = :run_id AND i.id > :after
ORDER BY i.id
LIMIT :limit

-- name: completed_items
SELECT i.id, i.task_id, i.part, i.seq, i.key, i.data, 0
FROM items AS i
WHERE i.run_id = :run_id AND i.id > :after
  AND EXISTS (SELECT 1 FROM outcomes WHERE task_id = i.task_id AND state = 'completed')
ORDER BY i.id
LIMIT :limit

-- name: files
SELECT id, task_id, part, seq, name, sha256, size_bytes, media_type
FROM files
WHERE run_id = :run_id AND id > :after
ORDER BY id
LIMIT :limit

-- name: has_file
SELECT 1 FROM files WHERE sha256 = ? LIMIT 1

-- name: unlinked
SELECT u.task_id, u.part, f.run_id, f.name, f.sha256, f.size_bytes, f.media_type
FROM (
    SELECT task_id, part FROM unlinked
    WHERE (task_id, part) > (:task_id, :part)
    ORDER BY task_id, part
    LIMIT :limit
) AS u
JOIN files AS f ON f.task_id = u.task_id AND f.part = u.part
ORDER BY u.task_id, u.part, f.seq

-- name: linked
DELETE FROM unlinked WHERE task_id = ? AND part = ?
