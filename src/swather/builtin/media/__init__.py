"""The scraper `media`: pictures and videos from many sources, for one query."""
