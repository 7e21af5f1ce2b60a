UPDATE swather.runs
SET priorities = priorities | %(mask)s, state = 'open', finished_at = NULL
WHERE id = %(run_id)s AND (priorities | %(mask)s <> priorities OR state <> 'open')
