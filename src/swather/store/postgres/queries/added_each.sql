SELECT g.place, a.id, a.head_id, a.priority, a.due_at IS NULL
FROM added AS a
JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM given) AS g ON g.id = a.id
