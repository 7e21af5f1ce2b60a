import threading
import time

import pytest

from swather.scraping.scraper import scraper
from swather.worker.jobs import Jobs
from tests.worker.given import Shop, wait_until


@scraper
async def quick(ctx, target):
    return {"target": target}


@pytest.mark.slow
def test_while_a_run_is_read_no_more_is_claimed_than_there_are_slots(
    either_shop: Shop, monkeypatch: pytest.MonkeyPatch
):
    read, load_for = threading.Event(), Jobs.load_for

    def load_late(*args):
        read.wait(10)
        return load_for(*args)

    monkeypatch.setattr(Jobs, "load_for", load_late)
    run = either_shop.run(quick, range(200))
    working = either_shop.start(quick, concurrency=4)
    wait_until(lambda: either_shop.counts(run).get("leased"))
    time.sleep(0.3)
    assert either_shop.counts(run)["leased"] <= 4
    read.set()
    assert working.report().completed == 200
