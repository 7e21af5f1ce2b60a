WITH old AS MATERIALIZED (
    SELECT ctid FROM swather.counters LIMIT %(limit)s FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM swather.counters AS c USING old AS o WHERE c.ctid = o.ctid
    RETURNING c.run_id, c.name, c.n
),
added AS (
    INSERT INTO swather.counters (run_id, name, n)
    SELECT run_id, name, sum(n) FROM gone GROUP BY run_id, name HAVING sum(n) <> 0
)
SELECT count(*) FROM gone
