"""Scrapers that need a program: without it nothing starts, and nothing fails for it."""

import pytest

from tests.cli.conftest import Swather, done
from tests.cli.scrapers import write

SCRAPERS = """
from swather import scraper

@scraper(browser=True)
async def rendered(ctx, target):
    await ctx.render()

@scraper(tor=True)
async def hidden(ctx, target):
    await ctx.get()

@scraper
async def plain(ctx, target):
    return {"target": target}
"""
NO_CHROMIUM = "the setting chromium names '/nowhere', which is not a program"
NO_TOR = "the scraper 'hidden' uses Tor: the tor_binary /nowhere does not exist"


@pytest.fixture(autouse=True)
def no_programs(swather: Swather, monkeypatch: pytest.MonkeyPatch) -> None:
    del swather  # which changes the folder
    write(SCRAPERS, "scrapers.py")
    monkeypatch.setenv("SWATHER_CHROMIUM", "/nowhere")
    monkeypatch.setenv("SWATHER_TOR_BINARY", "/nowhere")


@pytest.mark.parametrize(("name", "said"), [("rendered", NO_CHROMIUM), ("hidden", NO_TOR)])
def test_a_run_does_not_start_without_its_program(swather: Swather, name: str, said: str):
    result = swather("run", f"scrapers.py:{name}", "http://one.example/")
    assert (result.code, said in result.err) == (2, True)
    assert "no runs" in done(swather, "status").out


def test_nor_does_a_worker_on_such_a_run(swather: Swather):
    run = done(swather, "enqueue", "scrapers.py:hidden", "http://one.example/", "--json").data[
        "run"
    ]
    result = swather("worker", "scrapers.py:hidden", "--run", run)
    assert (result.code, NO_TOR in result.err) == (2, True)


@pytest.mark.slow
def test_a_worker_of_many_scrapers_leaves_out_those_it_cannot_run(started: Swather):
    done(started, "enqueue", "scrapers.py:plain", "here")
    code = [f"scrapers.py:{name}" for name in ("rendered", "hidden", "plain")]
    result = done(started, "worker", *code)
    assert f"leaves out rendered: {NO_CHROMIUM}" in result.err
    assert f"leaves out hidden: {NO_TOR}" in result.err
