SELECT id FROM swather.lanes WHERE kind = %(kind)s AND name = %(name)s
