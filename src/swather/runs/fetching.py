"""How a run fetches pages."""

from swather.net.fetcher import TIMEOUT_SECONDS, USER_AGENT, WebFetcher
from swather.settings import Settings


def new_fetcher(settings: Settings) -> WebFetcher:
    """A fetcher made from the settings."""
    return WebFetcher(
        settings.http_client,
        user_agent=settings.user_agent or USER_AGENT,
        connect_seconds=settings.connect_timeout,
        read_seconds=settings.read_timeout,
        timeout_seconds=settings.request_timeout or TIMEOUT_SECONDS,
        max_bytes=settings.max_page_bytes,
        max_download_bytes=settings.max_download_bytes,
        max_redirects=settings.max_redirects,
    )
