UPDATE robots SET claimed_until = 0 WHERE origin = :origin AND claimed_by = :holder
