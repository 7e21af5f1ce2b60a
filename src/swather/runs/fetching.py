"""How a run fetches pages."""

from swather.net.fetcher import TIMEOUT_SECONDS, USER_AGENT, WebFetcher
from swather.settings import Settings


def new_fetcher(held: Settings) -> WebFetcher:
    """A fetcher as the settings want it."""
    return WebFetcher(
        held.http_client,
        user_agent=held.user_agent or USER_AGENT,
        connect_seconds=held.connect_timeout,
        read_seconds=held.read_timeout,
        timeout_seconds=held.request_timeout or TIMEOUT_SECONDS,
        max_bytes=held.max_page_bytes,
        max_redirects=held.max_redirects,
    )
