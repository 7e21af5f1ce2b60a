"""Places of one worker on a lane: the store is told the truth, whoever comes and goes meanwhile."""

import asyncio

import pytest

from swather.worker import places as places_module
from swather.worker.places import Places


class Row:
    """What the store believes; it takes a moment to be told, and may refuse a few times first."""

    def __init__(self, refusals=0):
        self.n = None
        self.told = asyncio.Event()
        self.refusals = refusals

    async def tell(self, _lane, n):
        await asyncio.sleep(0)
        if self.refusals:
            self.refusals -= 1
            raise ConnectionError("the database is away")
        self.n = n
        self.told.set()


async def enter(places, row):
    """As Traffic does: ask under the turn, saying how many are there already."""
    async with places.turn("lane"):
        held = places.taken("lane")
        await asyncio.sleep(0)
        row.n = held + 1
        places.take("lane")


def test_those_who_come_while_the_last_one_leaves_are_all_counted():
    async def main():
        row = Row()
        places = Places(row.tell)
        for moment in range(12):
            await enter(places, row)
            places.leave("lane")
            first = asyncio.create_task(enter(places, row))
            for _ in range(moment):
                await asyncio.sleep(0)
            await asyncio.gather(first, enter(places, row))
            assert row.n == 2, f"somebody came {moment} turns of the loop later"
            places.leave("lane")
            places.leave("lane")
            await asyncio.sleep(0.01)
            assert row.n == 0

    asyncio.run(main())


def test_a_store_that_could_not_be_told_is_told_again(monkeypatch, caplog):
    monkeypatch.setattr(places_module, "TELL_AGAIN_SECONDS", 0.01)

    async def main():
        row = Row(refusals=2)
        places = Places(row.tell)
        await enter(places, row)
        places.leave("lane")
        await asyncio.wait_for(row.told.wait(), 5)
        assert row.n == 0

    asyncio.run(main())
    assert "could not tell the store" in caplog.text


@pytest.mark.parametrize("moment", range(6))
def test_a_lane_that_is_left_is_forgotten(moment):
    async def main():
        row = Row()
        places = Places(row.tell)
        await enter(places, row)
        for _ in range(moment):
            await asyncio.sleep(0)
        places.leave("lane")
        await asyncio.sleep(0.01)
        assert places.knows() == set()

    asyncio.run(main())
