SELECT count(*) >= %(many)s FROM (SELECT FROM swather.counters LIMIT %(many)s) AS c
