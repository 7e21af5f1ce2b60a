SELECT name, current_setting(name)
FROM unnest(%(names)s::text[]) AS s (name)
WHERE current_setting(name, true) IS NOT NULL
