"""Requests in flight of one worker: the store is told the truth, whoever comes and goes."""

import asyncio

import pytest

from swather.worker.access import permits as module
from swather.worker.access.permits import InFlight


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


async def enter(in_flight, row):
    """As Traffic does: ask under the turn, saying how many are there already."""
    async with in_flight.turn("lane"):
        held = in_flight.count("lane")
        await asyncio.sleep(0)
        row.n = held + 1
        in_flight.add("lane")


def test_those_who_come_while_the_last_one_leaves_are_all_counted():
    async def main():
        row = Row()
        in_flight = InFlight(row.tell)
        for moment in range(12):
            await enter(in_flight, row)
            in_flight.remove("lane")
            first = asyncio.create_task(enter(in_flight, row))
            for _ in range(moment):
                await asyncio.sleep(0)
            await asyncio.gather(first, enter(in_flight, row))
            assert row.n == 2, f"somebody came {moment} turns of the loop later"
            in_flight.remove("lane")
            in_flight.remove("lane")
            await asyncio.sleep(0.01)
            assert row.n == 0

    asyncio.run(main())


def test_a_store_that_could_not_be_told_is_told_again(monkeypatch, caplog):
    monkeypatch.setattr(module, "TELL_AGAIN_SECONDS", 0.01)

    async def main():
        row = Row(refusals=2)
        in_flight = InFlight(row.tell)
        await enter(in_flight, row)
        in_flight.remove("lane")
        await asyncio.wait_for(row.told.wait(), 5)
        assert row.n == 0

    asyncio.run(main())
    assert "could not report the requests in flight" in caplog.text


@pytest.mark.parametrize("moment", range(6))
def test_a_lane_that_is_left_is_forgotten(moment):
    async def main():
        row = Row()
        in_flight = InFlight(row.tell)
        await enter(in_flight, row)
        for _ in range(moment):
            await asyncio.sleep(0)
        in_flight.remove("lane")
        await asyncio.sleep(0.01)
        assert not any(known for known in vars(in_flight).values() if isinstance(known, dict))

    asyncio.run(main())
