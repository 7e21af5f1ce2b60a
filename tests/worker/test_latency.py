"""How long attempts, claims and finishes take is in the row of their worker."""

import re
from pathlib import Path

import pytest

import swather.worker.access
from swather.model.latency import BOUNDS, latency_of
from swather.scraping.scraper import scraper
from swather.worker import saving, visits
from swather.worker.runners import child
from swather.worker.waits import WAITS, by_wait
from tests.worker.given import Shop


@scraper
async def echo(ctx, target):
    return {"target": target}


def test_a_worker_says_how_long_its_attempts_claims_and_finishes_took(shop: Shop):
    shop.scrape(echo, 30)
    (worker,) = shop.store.workers.find(live=False)
    said = {name: latency_of(each) for name, each in worker.statistics["latency"].items()}
    assert sum(said["attempt"].counts) == 30
    assert 1 <= sum(said["finish"].counts) <= 30
    assert sum(said["claim"].counts) >= 1
    for latency in said.values():
        most = sum(n * bound for n, bound in zip(latency.counts, BOUNDS, strict=False))
        assert 0 < latency.seconds <= most


def test_waits_of_attempts_are_in_the_row_of_their_worker(shop: Shop):
    shop.scrape(echo, 1)
    (worker,) = shop.store.workers.find(live=False)
    assert worker.statistics["waited"] == {}


@pytest.mark.parametrize("path", ["attempt_access.py", "attempt_egresses.py"])
def test_every_wait_is_one_that_metrics_know(path: str):
    source = Path(swather.worker.access.__file__).with_name(path).read_text()
    assert set(re.findall(r'stop_clock\("([^"]+)"\)', source)) <= WAITS
    others = {visits._WAITS_FOR, saving._STORAGE, child._STARTING}
    assert others <= WAITS
    assert by_wait({"its lane": 2, "a riddle": 1, "another": 1})["other"] == 2
