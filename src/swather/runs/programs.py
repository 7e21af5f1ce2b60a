"""The programs that scrapers need on the machine of their workers: Chromium, Tor."""

from importlib.util import find_spec

from swather.errors import InputError, MissingExtra
from swather.net.browser import program
from swather.net.browser.chromium import MISSING
from swather.net.tor.process import TorFailed, find_binary
from swather.scraping.scraper import Scraper
from swather.settings import Settings


def check_programs(scraper: Scraper, settings: Settings) -> None:
    """InputError if one is not here: every target would fail for it."""
    if scraper.options.browser:
        if find_spec("playwright") is None:
            raise MissingExtra(MISSING)
        program.find(settings.chromium)
    if scraper.options.tor and settings.http_client != "wreq":
        raise InputError(
            f"the scraper {scraper.name!r} uses Tor, which the setting http_client = "
            f"{settings.http_client} cannot: set http_client = wreq"
        )
    if scraper.options.tor and settings.tor_socks is None:
        try:
            find_binary(settings.tor_binary)
        except TorFailed as error:
            raise InputError(f"the scraper {scraper.name!r} uses Tor: {error}") from None
