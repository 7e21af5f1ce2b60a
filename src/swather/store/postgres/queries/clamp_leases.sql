-- After the server's clock was set back, leases would last longer than they should.
UPDATE swather.workers
SET expires_at = swather.clock() + lease_seconds * interval '1 second'
WHERE state = 'live' AND expires_at > swather.clock() + (lease_seconds + 5) * interval '1 second'
