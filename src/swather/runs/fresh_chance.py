"""A fresh chance: new input, or a retry by a person, closes the breakers of its scraper."""

from swather.store import Store


def close_breakers(store: Store, scraper: str) -> int:
    """Close the open breakers of a scraper on all lanes, and say how many there were. They open
    again if as many attempts fail as before.
    """
    found = store.breakers.find(scraper=scraper)
    return sum(store.breakers.close(breaker.scraper, breaker.lane) for breaker in found)
