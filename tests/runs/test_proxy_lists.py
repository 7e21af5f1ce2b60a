"""Lists of proxies that a scraper or a setting brings are in the pool when a run starts."""

from dataclasses import replace
from pathlib import Path

import pytest

import swather
from swather import scraper, settings_sources
from swather.errors import InputError
from swather.runs.configuration import apply
from swather.runs.proxy_lists import load_lists
from swather.runs.start import plan_run
from swather.scraping.proxies import Proxies
from swather.scraping.scraper import Scraper
from swather.store import Store

LIST = "198.51.100.1:3128\n198.51.100.2:3128:me:hunter2 tags=home\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("proxies.txt").write_text(LIST)


def books(**options: object) -> Scraper:
    @scraper(**options)
    async def books(ctx, target): ...

    return books


def load(store: Store, scraper: Scraper, **settings: object) -> list[str]:
    return load_lists(store, scraper, settings_sources.read(settings).settings)


def urls(store: Store, **which: object) -> list[str]:
    return [proxy.url for proxy in store.proxies.pool(**which).proxies]


def test_a_scraper_that_leaves_directly_brings_none(store: Store):
    assert load(store, books(), proxy_file="proxies.txt") == []
    assert urls(store) == []


@pytest.mark.parametrize("proxies", ["proxies.txt", Path("proxies.txt")])
def test_a_file_is_a_source_named_after_the_scraper(store: Store, proxies):
    assert load(store, books(proxies=proxies)) == []
    assert len(urls(store, source="scraper books")) == 2
    Path("proxies.txt").write_text("198.51.100.3:3128\n")
    load(store, books(proxies=proxies))
    assert urls(store) == ["http://198.51.100.3:3128"]


@pytest.mark.parametrize("proxies", ["http://a.example:1", ["http://a.example:1"]])
def test_so_is_a_list(store: Store, proxies):
    load(store, books(proxies=proxies))
    assert urls(store, source="scraper books") == ["http://a.example:1"]


def test_the_setting_adds_a_file_to_the_pool(store: Store):
    load(store, books(proxies=True), proxy_file="proxies.txt")
    assert len(urls(store, source=str(Path("proxies.txt").absolute()))) == 2


def test_bad_lines_are_noted_and_a_useless_list_is_refused(store: Store):
    Path("proxies.txt").write_text(f"{LIST}me hunter2\n")
    (note,) = load(store, books(proxies="proxies.txt"))
    assert note.startswith("proxies.txt, line 3: ")
    assert "hunter2" not in note
    Path("proxies.txt").write_text("hunter2\n")
    with pytest.raises(InputError, match=r"^proxies\.txt has no proxy: line 1: ") as raised:
        load(store, books(proxies="proxies.txt"))
    assert "hunter2" not in str(raised.value)
    with pytest.raises(InputError, match=r"nix\.txt cannot be read: No such file"):
        load(store, books(proxies="nix.txt"))


def test_proxies_that_the_client_cannot_use_are_refused_at_the_start(store: Store):
    mixed = books(proxies=["http://198.51.100.1:3128", "socks5://me:hunter2@198.51.100.2:1080"])
    assert load(store, mixed) == []
    with pytest.raises(InputError, match=r"aiohttp cannot use the SOCKS proxy socks5://") as raised:
        load(store, mixed, http_client="aiohttp")
    assert "hunter2" not in str(raised.value)


def test_what_is_no_text_is_no_list(store: Store):
    Path("proxies.txt").write_bytes(b"\x9f\xe2\xff:80\n\xfe\xd1\n198.51.100.1:3128\n" + bytes(40))
    with pytest.raises(InputError, match=r"proxies\.txt is not a text file"):
        load(store, books(proxies="proxies.txt"))
    assert urls(store) == []


def test_too_few_proxies_are_only_a_warning(store: Store):
    greedy = books(proxies=Proxies(per_worker=3))
    (note,) = load(store, greedy)
    assert "no proxy can be used, and nothing is requested without one" in note
    load(store, books(proxies="proxies.txt"))
    (note,) = load(store, greedy, workers=2)
    assert note == "2 workers with 3 proxies each need 6, and there are 2: some get fewer, or none"
    assert load(store, greedy, workers=2, proxies_per_worker=1) == []
    (note,) = load(store, books(proxies=True), proxy_tags="fast")
    assert note.startswith("no proxy can be used")
    assert "of 2 enabled proxies, none has the tags" in note


def test_a_setting_goes_before_the_decorator():
    wished = books(proxies=Proxies(tags=["a"], strategy="random", rotation="target", per_worker=2))
    given = {"proxy_selection_strategy": "least_used", "proxies_per_worker": 5}
    found = apply(wished, settings_sources.read(given).settings).options.proxies
    assert found == Proxies(tags=["a"], rotation="target")
    assert apply(wished, settings_sources.read().settings).options == wished.options


def test_the_run_notes_how_its_requests_leave(store: Store):
    picky = books(proxies=swather.Proxies(tags=["home"], country="DE"))
    run = plan_run(store, picky).run
    assert run.egress == {"way_out": "pool", "tags": ["home"], "country": "de", "source": ""}
    direct = replace(picky, options=replace(picky.options, proxies=None))
    assert plan_run(store, direct).run.egress == {}
    assert plan_run(store, direct, new=True).run.egress == {}
