"""The built-in scraper `products`: prices, packs and stock, by country."""
