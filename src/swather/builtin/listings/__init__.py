"""The scraper `listings`: businesses from a directory, by city and category."""
