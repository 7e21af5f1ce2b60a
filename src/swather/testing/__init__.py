"""For tests: a scraper run on one target without a database, a site on loopback, a clock."""

from swather.testing.clock import FakeClock
from swather.testing.scrape import Scraped, run_scraper
from swather.testing.shop import shop
from swather.testing.site import Answer, Asked, FakeSite

__all__ = ["Answer", "Asked", "FakeClock", "FakeSite", "Scraped", "run_scraper", "shop"]
