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

-- name: add_rejection
INSERT INTO rejections (run_id, task_id, part, reason, n) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: rejected_reasons
SELECT substr(name, 10) FROM counters
WHERE run_id = ? AND name >= 'rejected:' AND name < 'rejected;'

-- name: remove_rejections
DELETE FROM rejections WHERE task_id IN carray(?) RETURNING run_id, reason, n

-- name: drop_rejections
DELETE FROM rejections WHERE task_id = ? RETURNING run_id, reason, n

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

-- name: newest_items
SELECT i.id, i.task_id, i.part, i.seq, i.key, i.data,
       NOT EXISTS (SELECT 1 FROM outcomes WHERE task_id = i.task_id AND state = 'completed')
FROM items AS i
WHERE i.run_id = :run_id AND i.id < :before
ORDER BY i.id DESC
LIMIT :limit

-- name: last_item_to_search
SELECT id FROM items
WHERE run_id = :run_id AND id < :before
ORDER BY id DESC
LIMIT 1 OFFSET :scan - 1

-- name: search_items
SELECT i.id, i.task_id, i.part, i.seq, i.key, i.data,
       NOT EXISTS (SELECT 1 FROM outcomes WHERE task_id = i.task_id AND state = 'completed')
FROM items AS i
WHERE i.run_id = :run_id AND i.id < :before AND i.id >= :stop AND instr(lower(i.data), :text) > 0
ORDER BY i.id DESC
LIMIT :limit

-- name: items_of_task
SELECT i.id, i.task_id, i.part, i.seq, i.key, i.data,
       NOT EXISTS (SELECT 1 FROM outcomes WHERE task_id = i.task_id AND state = 'completed')
FROM items AS i
WHERE i.task_id = :task_id
ORDER BY i.part, i.seq
LIMIT :limit

-- name: files_of_task
SELECT id, task_id, part, seq, name, sha256, size_bytes, media_type
FROM files
WHERE task_id = :task_id
ORDER BY part, seq
LIMIT :limit

-- name: newest_files
SELECT id, task_id, part, seq, name, sha256, size_bytes, media_type
FROM files
WHERE run_id = :run_id AND id < :before
ORDER BY id DESC
LIMIT :limit

-- name: get_file
SELECT id, task_id, part, seq, name, sha256, size_bytes, media_type
FROM files
WHERE run_id = :run_id AND id = :id

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

-- name: identity
SELECT id, key, target FROM tasks WHERE id = ?

-- name: counterpart
WITH RECURSIVE line (depth, parent_id, found) AS (
    SELECT 0, t.parent_id, (SELECT id FROM tasks WHERE run_id = :run_id AND key = t.key)
    FROM tasks AS t
    WHERE t.id = :task_id
    UNION ALL
    SELECT l.depth + 1, t.parent_id, (SELECT id FROM tasks WHERE run_id = :run_id AND key = t.key)
    FROM line AS l
    JOIN tasks AS t ON t.id = l.parent_id
    WHERE l.found IS NULL AND l.depth < :most
)
SELECT :task_id, l.found IS NOT NULL, l.depth, o.state, o.reason,
       EXISTS (SELECT 1 FROM items WHERE task_id = l.found AND id > :after)
FROM line AS l
LEFT JOIN outcomes AS o ON o.task_id = l.found
ORDER BY l.depth DESC
LIMIT 1

-- name: also_found_by
SELECT key, task_id FROM item_heirs WHERE run_id = :run_id AND key = :key LIMIT :limit
