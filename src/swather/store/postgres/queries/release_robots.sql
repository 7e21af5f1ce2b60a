UPDATE swather.robots SET claimed_until = '-infinity'
WHERE origin = %(origin)s AND claimed_by = %(holder)s
