"""What a scraper needs on this machine is missed before its run starts."""

from typing import Any

import pytest

import swather
from swather import settings_sources
from swather.errors import InputError, MissingExtra
from swather.runs import programs


def scraper(**options: Any) -> swather.Scraper:
    @swather.scraper(**options)
    async def pages(ctx: Any, url: str) -> None: ...

    return pages


def check(made: swather.Scraper, **given: Any) -> None:
    programs.check_programs(made, settings_sources.read(given).settings)


@pytest.mark.parametrize(
    ("options", "given", "words"),
    [
        ({"browser": True}, {"chromium": "/nix"}, "the setting chromium names '/nix'"),
        ({"tor": True}, {"tor_binary": "/nix"}, "the tor_binary /nix does not exist"),
        ({"tor": True}, {"http_client": "aiohttp"}, "uses Tor.*: set http_client = wreq"),
    ],
)
def test_a_program_that_is_missing_is_an_error_of_the_run(
    options: dict[str, Any], given: dict[str, Any], words: str
):
    with pytest.raises(InputError, match=words):
        check(scraper(**options), **given)
    check(scraper(), **given)


def test_playwright_is_missed_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(programs, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"swather\[browser\]"):
        check(scraper(browser=True))


def test_a_daemon_that_runs_already_needs_no_program():
    check(scraper(tor=True), tor_binary="/nix", tor_socks="127.0.0.1:9050")
