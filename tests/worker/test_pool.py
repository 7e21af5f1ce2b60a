"""The instances of class scrapers between their targets."""

import asyncio

import pytest

from swather.scraping.attempt import RunInfo
from swather.scraping.scraper import Scraper, scraper
from swather.worker.runners import pool as pools
from swather.worker.runners.pool import Pool
from tests.scraping.attempts import context


@scraper
class Members:
    async def setup(self, web): ...
    async def scrape(self, ctx, target): ...


@scraper
class Books:
    async def scrape(self, ctx, target): ...


def ready(pool: Pool, of: Scraper, run_id: int):
    return asyncio.run(pool.ready(of, context(of=of, run=RunInfo(run_id, "a"))))


def test_an_instance_that_was_given_the_web_serves_its_own_run():
    pool = Pool()
    member, book = ready(pool, Members, 1), ready(pool, Books, 1)
    assert pool.give_back(member, 1, reuse=True) == []
    assert pool.give_back(book, 1, reuse=True) == []
    assert ready(pool, Members, 2) is not member
    assert ready(pool, Members, 1) is member
    assert ready(pool, Members, 1) is not member
    assert ready(pool, Books, 2) is book


def test_instances_of_runs_long_past_are_closed(monkeypatch):
    monkeypatch.setattr(pools, "MAX_KINDS", 2)
    pool = Pool()
    runs = (1, 1, 2, 3)
    made = [ready(pool, Members, run) for run in runs]
    given_back = [pool.give_back(one, run, reuse=True) for run, one in zip(runs, made, strict=True)]
    assert given_back == [[], [], [], made[:2]]
    assert set(pool.clear()) == set(made[2:])


def test_each_instance_is_to_be_closed_once_in_use_or_not():
    pool = Pool()
    cut, idle, in_use = (ready(pool, Books, 1) for _ in range(3))
    assert pool.give_back(cut, 1, reuse=False) == [cut]
    assert pool.give_back(idle, 1, reuse=True) == []
    assert set(pool.clear()) == {idle, in_use}
    assert pool.give_back(in_use, 1, reuse=False) == []
    assert pool.give_back(in_use, 1, reuse=True) == []
    assert pool.clear() == []
    assert ready(pool, Books, 1) not in {cut, idle, in_use}


def test_an_instance_whose_setup_fails_is_not_to_be_closed():
    @scraper
    class Broken:
        async def setup(self):
            raise OSError("no browser here")

        async def scrape(self, ctx, target): ...

    pool = Pool()
    with pytest.raises(OSError, match="no browser"):
        ready(pool, Broken, 1)
    assert pool.clear() == []
