SELECT name, sum(n)::bigint FROM swather.counters WHERE run_id = %(run_id)s GROUP BY name
