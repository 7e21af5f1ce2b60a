SELECT id FROM swather.runs WHERE state <> 'open' AND finished_at < %(before)s ORDER BY id
