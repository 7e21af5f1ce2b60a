SELECT head_id, coalesce(max(priority) FILTER (WHERE due_at IS NULL), 0)::smallint, count(*)
FROM added
GROUP BY head_id
