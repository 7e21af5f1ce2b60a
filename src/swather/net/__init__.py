"""How a scraper touches the web."""
