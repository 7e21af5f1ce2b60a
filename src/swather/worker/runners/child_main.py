"""The child process: loads one scraper and executes it on one task after another.

It has no database. Every verb of the context is asked of the worker over the socket, and when the
worker is gone the child and all it has started end.
"""

import asyncio
import logging
import os
import socket
import sys
import threading
from collections.abc import Collection, Coroutine
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

from swather import posix
from swather.errors import LoadError, MissingExtra
from swather.model.outcome import File
from swather.model.source import SourceState
from swather.net.download import Download
from swather.net.errors import ProxyFailed
from swather.net.page import Page
from swather.net.request import Request
from swather.scraping import forked, registry
from swather.scraping.attempt import Content, RunCoroutine
from swather.scraping.blocking import SyncContext
from swather.scraping.classify import classify
from swather.scraping.context import Collected, Context, RunInfo
from swather.scraping.invoke import invoke, invoke_blocking
from swather.scraping.notes import Notes
from swather.scraping.params import typed_params
from swather.scraping.rendering import Browsing, Rendered, Rendering
from swather.scraping.scraper import Scraper
from swather.visible import visible_streams
from swather.worker.runners import wire
from swather.worker.runners.child_visits import ChildBrowser, ChildVisits
from swather.worker.runners.pool import Pool, close, close_blocking

if TYPE_CHECKING:
    from swather.net.browser import Tab
    from swather.scraping.instance import Instance

CLOSE_SECONDS: Final = 5.0


class Line:
    """The socket to the worker: a thread reads it, any thread may ask. What a scraper forks has
    no part in it: it would answer in our name, and keep the worker from seeing us end.
    """

    def __init__(self, connection: socket.socket) -> None:
        self.inbox: SimpleQueue[wire.Hello | wire.Start | None] = SimpleQueue()
        self._connection = connection
        self._sending = threading.Lock()
        self._asked: dict[int, Future[bytes]] = {}
        self._last = 0
        self._worker_pid = os.getppid()
        os.register_at_fork(after_in_child=self._hang_up)
        threading.Thread(target=self._read, name="swather-line", daemon=True).start()

    def send(self, message: wire.Message) -> None:
        framed = wire.frame(message)
        with self._sending:
            self._connection.sendall(framed)

    def tell(self, token: int, verb: str, body: bytes) -> None:
        self.send(wire.Ask(token, wire.TOLD, verb, body))

    async def ask(self, token: int, verb: str, body: bytes) -> bytes:
        future: Future[bytes] = Future()
        with self._sending:
            self._last += 1
            number = self._last
            self._asked[number] = future
            self._connection.sendall(wire.frame(wire.Ask(token, number, verb, body)))
        return await asyncio.wrap_future(future)

    def _hang_up(self) -> None:
        # Not by close(), which waits for the file that our reader has made of it.
        os.close(self._connection.detach())

    def _read(self) -> None:
        with self._connection.makefile("rb") as stream:
            while True:
                head = stream.read(wire.LENGTH.size)
                if len(head) < wire.LENGTH.size:
                    break
                message = wire.message_of(stream.read(*wire.LENGTH.unpack(head)))
                if isinstance(message, wire.Reply):
                    self._answer(message)
                elif isinstance(message, wire.Hello | wire.Start):
                    self.inbox.put(message)
        self.inbox.put(None)
        if os.getppid() != self._worker_pid:
            posix.kill_own_group()

    def _answer(self, reply: wire.Reply) -> None:
        future = self._asked.pop(reply.number, None)
        if future is None:
            return
        if reply.error is not None:
            future.set_exception(wire.raised_from(reply.error))
        else:
            future.set_result(reply.body)


class LineVerbs:
    """See swather.scraping.context.Verbs. They speak for one attempt, the one of `token`."""

    def __init__(self, line: Line, token: int, visits: ChildVisits) -> None:
        self._line = line
        self._token = token
        self._visits = visits
        self.notes = Notes()

    async def fetch(self, request: Request) -> Page:
        return wire.page_of(await self._line.ask(self._token, "fetch", wire.pack(request)))

    def browse(self, browsing: Browsing) -> AbstractAsyncContextManager["Tab"]:
        return self._visits.open_tabs().browse(browsing)

    async def render(self, rendering: Rendering) -> Rendered:
        return await self._visits.render(rendering)

    async def new_identity(self) -> None:
        await self._line.ask(self._token, "new_identity", b"")

    async def checkpoint(self, cursor: Any, collected: Collected) -> None:
        body = wire.produced(collected, cursor, self.notes.take_sources())
        await self._line.ask(self._token, "checkpoint", body)

    async def progress(self, data: Any) -> None:
        await self._line.ask(self._token, "progress", wire.to_json(data))

    async def ask_source(self, name: str) -> SourceState:
        answer = await self._line.ask(self._token, "ask_source", wire.to_json(name))
        return wire.source_state_of(answer)

    async def recall(self, keys: Collection[str], max_age_seconds: float | None) -> dict[str, Any]:
        body = wire.pack(wire.Recall(list(keys), max_age_seconds))
        found: dict[str, Any] = wire.from_json(await self._line.ask(self._token, "recall", body))
        return found

    async def files_named(self, names: Collection[str]) -> set[str]:
        body = wire.to_json(list(names))
        return set(wire.from_json(await self._line.ask(self._token, "files_named", body)))

    async def download(self, request: Request, max_bytes: int | None) -> Download:
        body = wire.pack(wire.Fetch(request, max_bytes))
        return wire.download_of(await self._line.ask(self._token, "download", body))

    async def save(self, content: Content, name: str | None, media_type: str) -> File:
        if isinstance(content, Path):
            body = wire.Save(None, str(Path.cwd() / content), None, name, media_type)
        elif isinstance(content, Download):
            body = wire.Save(None, None, content, name, media_type)
        else:
            body = wire.Save(content, None, None, name, media_type)
        return wire.file_of(await self._line.ask(self._token, "save", wire.pack(body)))


class Executor:
    """Executes tasks; an async scraper keeps one loop for all of them, a class its instance."""

    def __init__(self, scraper: Scraper, line: Line) -> None:
        self._scraper = scraper
        self._line = line
        self._pool = Pool()
        self._left: list[Instance] = []
        self._browser = ChildBrowser()
        self._runner = asyncio.Runner()
        self._run: RunCoroutine = self._runner.run if scraper.is_async else _run_on(_new_loop())
        if scraper.is_async:
            forked.stop_in_forks(self._runner.get_loop())

    def execute(self, start: wire.Start) -> wire.Done | wire.Faulted:
        process_id = posix.process_id
        error: BaseException | None = None
        produced = b""
        visits = ChildVisits(
            self._browser, self._line, start.token, self._scraper.options.own_headers
        )
        verbs = LineVerbs(self._line, start.token, visits)
        try:
            produced = self._scrape(start, verbs)
        except BaseException as raised:  # noqa: BLE001 - a scraper may raise anything, SystemExit too
            error = raised
        if process_id != posix.process_id:
            forked.exit_fork(error)
        if visits.tabs is not None:
            self._run(visits.leave(has_failed=not isinstance(error, ProxyFailed | None)))
        self._close_left()
        if error is not None:
            return wire.Faulted(start.token, classify(error), verbs.notes)
        return wire.Done(start.token, produced, verbs.notes)

    def _scrape(self, start: wire.Start, verbs: LineVerbs) -> bytes:
        context = Context(
            scraper=self._scraper,
            lease=wire.lease_of(start.lease),
            run=RunInfo(*start.run),
            params=typed_params(self._scraper, wire.from_json(start.params)),
            verbs=verbs,
        )
        if self._scraper.is_async:
            self._runner.run(self._invoke(context))
        else:
            self._invoke_plain(context)
        return wire.produced(context.collected())

    def close(self) -> None:
        self._left += self._pool.clear()
        self._close_left()
        self._run(self._browser.close())

    async def _invoke(self, context: Context) -> None:
        instance = await self._pool.ready(self._scraper, context)
        try:
            await invoke(instance, context)
        finally:
            self._left += self._pool.give_back(instance, context.run.id, reuse=True)

    def _invoke_plain(self, context: Context) -> None:
        instance = self._pool.ready_blocking(self._scraper, context, self._run, run_setup=self._run)
        try:
            invoke_blocking(instance, SyncContext(context, self._run))
        finally:
            self._left += self._pool.give_back(instance, context.run.id, reuse=True)

    def _close_left(self) -> None:
        left, self._left = self._left, []
        if self._scraper.is_async:
            for instance in left:
                self._runner.run(close(instance))
        else:
            close_blocking(left, self._run)


def _new_loop() -> asyncio.AbstractEventLoop:
    """A loop in a thread of its own, so that any thread of the scraper may use the context."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="swather-verbs", daemon=True).start()
    return loop


def _run_on(loop: asyncio.AbstractEventLoop) -> RunCoroutine:
    def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, loop).result()

    return run


def main(connection: int, guard: int) -> int:
    posix.guard_group(guard, connection, CLOSE_SECONDS)
    # A program that the scraper starts would keep the worker from seeing us end.
    os.set_inheritable(connection, False)
    line = Line(socket.socket(fileno=connection))
    hello = line.inbox.get()
    if not isinstance(hello, wire.Hello):
        return 1
    sys.path[:] = hello.path
    logging.basicConfig(level=hello.log_level)
    try:
        executor = Executor(registry.load(hello.spec), line)
    except (LoadError, MissingExtra) as error:
        line.send(wire.CannotLoad(str(error)))
        return 1
    registry.enter_folder()
    line.send(wire.Ready())
    while isinstance(start := line.inbox.get(), wire.Start):
        line.send(executor.execute(start))
    executor.close()
    return 0


if __name__ == "__main__":
    # The scraper's own threads do not keep a child that has nothing more to do.
    try:
        with visible_streams():
            status = main(*map(int, sys.argv[1:]))
    except ConnectionError:
        # The worker is gone, and there is no one to tell.
        status = 1
    logging.shutdown()
    sys.stdout.flush()
    os._exit(status)
