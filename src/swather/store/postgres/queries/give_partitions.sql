UPDATE swather.partitions SET owner_id = NULL
WHERE run_id = %(run_id)s AND owner_id = %(worker_id)s AND name = ANY(%(names)b::text[])
