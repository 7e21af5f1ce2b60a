INSERT INTO lanes (kind, name) VALUES (:kind, :name)
ON CONFLICT (kind, name) DO NOTHING
