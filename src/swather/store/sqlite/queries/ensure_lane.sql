INSERT INTO lanes (kind, name, is_public) VALUES (:kind, :name, :is_public)
ON CONFLICT (kind, name) DO UPDATE SET is_public = excluded.is_public WHERE is_public IS NULL
