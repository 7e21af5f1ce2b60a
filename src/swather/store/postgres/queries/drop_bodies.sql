-- Whoever keeps one of them again meanwhile has it locked and changes `kept_at`; it is left alone.
WITH orphans AS MATERIALIZED (
    SELECT sha256 FROM swather.bodies AS b
    WHERE sha256 = ANY(%(orphans)b::bytea[])
      AND kept_at < swather.clock() - %(seconds)s * interval '1 second'
      AND (SELECT p.id FROM swather.pages AS p WHERE p.sha256 = b.sha256 LIMIT 1) IS NULL
    ORDER BY sha256
    FOR UPDATE
),
gone AS (
    DELETE FROM swather.bodies WHERE sha256 = ANY(ARRAY(SELECT sha256 FROM orphans))
    RETURNING sha256
)
SELECT count(*) FROM gone
