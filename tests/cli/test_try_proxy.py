"""`swather try` of a scraper that uses proxies or Tor: never directly."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from swather.testing.proxies import LocalProxies
from swather.testing.site import Asked, FakeSite
from tests.cli.conftest import Swather, done
from tests.cli.scrapers import write

SCRAPERS = """
import os

from swather import scraper


async def page(ctx, url):
    return {"text": (await ctx.get(url)).text}


pooled = scraper(name="pooled", proxies=True, robots=False, allow_private=True)(page)
listed = scraper(name="listed", proxies="proxies.txt", robots=False, allow_private=True)(page)
direct = scraper(name="direct", robots=False, allow_private=True)(page)
hidden = scraper(name="hidden", tor=True, robots=False, allow_private=True)(page)
"""


class Site(FakeSite):
    """Says through whom it was asked; '' if directly."""

    def __init__(self) -> None:
        super().__init__({"/": self._note})
        self.ways: list[str] = []

    def _note(self, asked: Asked) -> str:
        self.ways.append(asked.headers.get("via", ""))
        return "hello"


@pytest.fixture
def site() -> Iterator[Site]:
    write(SCRAPERS, "scrapers.py")
    with Site() as served:
        yield served


@pytest.fixture
def proxies() -> Iterator[LocalProxies]:
    with LocalProxies(1, login="me:hunter2") as started:
        Path("proxies.txt").write_text("\n".join(started.urls))
        yield started


def test_without_a_proxy_nothing_is_requested(
    swather: Swather, site: Site, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SWATHER_TOR_BINARY", "/nowhere")
    for scraper, said in (
        ("pooled", "there is no database swather.db that has some; to import a list"),
        ("listed", "the list of proxies proxies.txt cannot be read: No such file"),
        ("hidden", "this scraper uses Tor: the tor_binary /nowhere does not exist"),
    ):
        result = swather("try", f"scrapers.py:{scraper}", site.url)
        assert result.code == 2
        assert said in result.err
    assert site.ways == []


def test_a_proxy_of_the_scrapers_own_list_is_used(
    swather: Swather, site: Site, proxies: LocalProxies
):
    said = done(swather, "try", "scrapers.py:listed", site.url)
    assert site.ways == ["1.1 proxy-0"]
    assert "through http://***@127.0.0.1:" in said.err


def test_a_usable_proxy_of_the_pool_is_used(swather: Swather, site: Site, proxies: LocalProxies):
    done(swather, "proxies", "import", "proxies.txt")
    done(swather, "try", "scrapers.py:pooled", site.url)
    assert site.ways == ["1.1 proxy-0"]
    done(swather, "proxies", "disable", "--all")
    said = swather("try", "scrapers.py:pooled", site.url)
    assert said.code == 2
    assert "this scraper uses proxies, and there is none; import some" in said.err
    assert len(site.ways) == 1


@pytest.mark.parametrize("scraper", ["pooled", "direct", "hidden"])
def test_any_proxy_can_be_named(swather: Swather, site: Site, proxies: LocalProxies, scraper: str):
    said = done(swather, "try", f"scrapers.py:{scraper}", site.url, "--proxy", proxies[0].url)
    assert site.ways == ["1.1 proxy-0"]
    assert "hunter2" not in said.err + said.out
