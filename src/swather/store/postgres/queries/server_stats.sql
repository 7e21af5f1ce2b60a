SELECT current_setting('server_version'), pg_database_size(current_database()),
       (SELECT count(*) FROM swather.runs),
       (SELECT count(*) FROM swather.runs WHERE state = 'open'),
       (SELECT count(*) FROM swather.workers WHERE state = 'live'),
       (
           SELECT max(extract(epoch FROM clock_timestamp() - xact_start))::float8
           FROM pg_stat_activity
           WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
       ),
       (
           SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
       )
