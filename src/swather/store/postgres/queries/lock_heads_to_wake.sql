-- In order, and held until the end: whoever puts a head to sleep holds it, so that a head which is
-- awake here cannot be put to sleep unseen, and one that has just been is seen.
SELECT id, best, asleep
FROM swather.heads
WHERE id = ANY(%(heads)b::bigint[])
ORDER BY id
FOR NO KEY UPDATE
