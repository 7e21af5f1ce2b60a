SELECT id FROM swather.workers WHERE id = %(worker_id)s AND state = 'live' FOR SHARE
