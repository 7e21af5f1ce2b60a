SELECT status, body, fetched_at, expires_at FROM robots WHERE origin = :origin
