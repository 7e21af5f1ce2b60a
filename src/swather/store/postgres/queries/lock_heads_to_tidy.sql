SELECT id FROM swather.heads WHERE id = ANY(%(heads)b::bigint[])
FOR NO KEY UPDATE SKIP LOCKED
