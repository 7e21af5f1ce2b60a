"""The scraper `pages`: every page of a site, as Markdown or HTML."""
