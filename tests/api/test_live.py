"""What goes on now, read once a second however many watch."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest

from swather.access_token import Tokens
from swather.api import jobs_live
from swather.api.live import Live
from swather.api.server import Server, address_of, bound
from swather.api.stores import Stores
from swather.errors import ConnectionLost, SwatherError
from swather.store import Store
from tests.api.conftest import READER, an_app
from tests.worker.given import wait_until

PATIENCE_SECONDS = 20.0


class Reading:
    """Counts how often it is read; raises what it is told to."""

    def __init__(self) -> None:
        self.times = 0
        self.error: Exception | None = None

    def __call__(self) -> int:
        self.times += 1
        if self.error is not None:
            raise self.error
        return self.times


def run(work: Coroutine[Any, Any, None]) -> None:
    async def in_time() -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await work

    asyncio.run(in_time())


async def until_read(reading: Reading, times: int) -> None:
    while reading.times < times:  # noqa: ASYNC110 - counted in a thread
        await asyncio.sleep(0.005)


async def take(watched: AsyncGenerator[Any], count: int) -> list[Any]:
    async with aclosing(watched):
        return [await anext(watched) for _ in range(count)]


def test_many_watchers_cost_one_read_at_a_time_and_see_the_same():
    live, reading = Live(every_seconds=0.02), Reading()

    async def watch() -> None:
        async with asyncio.TaskGroup() as group:
            seen = [group.create_task(take(live.watch("status", reading), 5)) for _ in range(200)]
        values = [each.result() for each in seen]
        assert all(each == sorted(set(each)) for each in values)
        assert reading.times < 100  # and not 1,000
        assert live.topics == 0

    run(watch())


def test_topics_are_read_apart_and_only_while_somebody_watches():
    live, first, second = Live(every_seconds=0.01), Reading(), Reading()

    async def watch() -> None:
        one, other = live.watch("one", first), live.watch("other", second)
        assert (await anext(one), await anext(other), live.topics) == (1, 1, 2)
        await one.aclose()
        assert live.topics == 1
        await until_read(second, 5)
        seen = first.times
        await until_read(second, 10)
        assert first.times <= seen + 1  # one may have been under way
        await other.aclose()
        assert live.topics == 0
        assert await take(live.watch("one", first), 1) == [first.times]

    run(watch())


def test_whoever_is_slow_gets_the_newest_value_and_nothing_is_kept_for_them():
    live, reading = Live(every_seconds=0.005), Reading()

    async def watch() -> None:
        slow = live.watch("status", reading)
        assert await anext(slow) == 1
        await until_read(reading, 8)
        assert await anext(slow) >= 7
        await slow.aclose()

    run(watch())


@pytest.mark.parametrize(
    ("error", "said"),
    [(ConnectionLost("the database is away"), "is away"), (ValueError("x"), "failed to read")],
)
def test_an_error_is_a_value_and_the_next_read_may_succeed(error: Exception, said: str):
    live, reading = Live(every_seconds=0.005), Reading()
    reading.error = error

    async def watch() -> None:
        watched = live.watch("status", reading)
        value = await anext(watched)
        assert isinstance(value, SwatherError)
        assert said in str(value)
        reading.error = None
        while isinstance(value, SwatherError):
            value = await anext(watched)
        assert isinstance(value, int)
        await watched.aclose()

    run(watch())


def test_a_server_that_stops_ends_all_watching():
    live, reading = Live(every_seconds=0.01), Reading()

    async def watch() -> None:
        watched = live.watch("status", reading)
        await anext(watched)
        await live.close()
        assert [value async for value in watched] == []
        assert [value async for value in live.watch("another", reading)] == []

    run(watch())


class DeafSocket:
    """A client whose connection is full."""

    def __init__(self) -> None:
        self.sent = 0
        self.code: int | None = None

    async def accept(self) -> None:
        pass

    async def receive(self) -> dict[str, str]:
        return await asyncio.Future()

    async def send_text(self, text: str) -> None:
        self.sent += 1
        await asyncio.Future()

    async def close(self, code: int) -> None:
        self.code = code


def test_a_websocket_that_takes_nothing_is_dropped_and_holds_nobody_up(sqlite: Store):
    live, stores, socket = Live(every_seconds=0.01), Stores(sqlite), DeafSocket()
    served: Any = SimpleNamespace(live=live, stores=stores)

    async def push() -> None:
        pushing = asyncio.create_task(
            jobs_live.push_status(socket, served, send_seconds=0.2)  # type: ignore[arg-type]
        )
        others = await take(live.watch("another", Reading()), 5)
        assert len(others) == 5
        await pushing
        assert (socket.sent, socket.code, live.topics) == (1, 1013, 0)

    run(push())
    stores.close()


def test_a_page_that_is_closed_is_not_read_any_more(sqlite: Store, tokens: Tokens):
    app, served = an_app(sqlite, tokens)
    listening = bound("127.0.0.1", 0)
    server = Server(app, listening, served.live.close)
    thread = threading.Thread(target=server.run, kwargs={"handles_signals": False})
    thread.start()
    wait_until(lambda: server.has_started)
    bearer = {"Authorization": f"Bearer {READER}"}
    try:
        with httpx2.Client(base_url=address_of(listening), headers=bearer, timeout=20) as client:
            for _ in range(3):
                with client.stream("GET", "/live") as answer:
                    assert answer.status_code == HTTPStatus.OK
                    lines = answer.iter_lines()
                    wait_until(lambda lines=lines: next(lines).startswith("event: tick"))
                    assert served.live.topics == 1
        wait_until(lambda: served.live.topics == 0)
    finally:
        server.stop()
        thread.join()
        served.acting.close()
        served.stores.close()
        listening.close()
