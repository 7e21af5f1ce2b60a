INSERT INTO swather.migrations (number, name, at) VALUES (%(number)s, %(name)s, now())
