"""A child process as its worker sees it: started, asked, killed, reaped."""

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Final

from swather import posix
from swather.errors import AttemptOver
from swather.held_folder import HeldFolder
from swather.scraping.scraper import Scraper
from swather.store import factory
from swather.worker.runners import wire
from swather.worker.runners.child_requests import ChildRequests
from swather.worker.runners.task import own_task
from swather.worker.verbs import LoopVerbs

START_SECONDS: Final = 60.0
EXIT_SECONDS: Final = 5.0

_log = logging.getLogger(__name__)


class ChildDied(Exception):
    """The child is gone; the text says how."""


class CannotLoad(Exception):
    """The child runs, but cannot load the scraper."""


class Child:
    """One process that executes one scraper, a task at a time. `strays` counts what it said for
    attempts that were over: none of it is taken. `database` is that of the worker.
    """

    def __init__(self, scraper: Scraper, folder: Path, database: str) -> None:
        self.scraper = scraper
        self.executed = 0
        self.strays = 0
        self._socket, theirs = socket.socketpair()
        guard, self._guard = os.pipe()
        given = [theirs.fileno(), guard]
        self._folder = HeldFolder("children")
        try:
            self._process = subprocess.Popen(
                # -P: nothing is imported from the current folder before the worker says so.
                [sys.executable, "-P", "-m", "swather.worker.runners.child_main", *map(str, given)],
                pass_fds=given,
                env=_environment(database) | {"TMPDIR": str(self._folder.path)},
                stdin=subprocess.DEVNULL,
                cwd=folder,
                start_new_session=True,
            )
        finally:
            theirs.close()
            os.close(guard)
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._asking: set[asyncio.Task[None]] = set()
        self.killed_because = ""

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    async def greet(self) -> None:
        """Wait until the scraper is loaded."""
        self._socket.setblocking(False)
        self._reader, self._writer = await asyncio.open_connection(sock=self._socket)
        level = logging.getLogger().getEffectiveLevel()
        self._send(wire.Hello(self.scraper.spec, sys.path, level))
        match await self._receive():
            case wire.Ready():
                return
            case wire.CannotLoad(message):
                raise CannotLoad(message)
            case other:
                raise ChildDied(f"the child process said {other!r} instead of being ready")

    async def execute(
        self, start: wire.Start, verbs: LoopVerbs, requests: ChildRequests
    ) -> wire.Done | wire.Faulted:
        self.executed += 1
        self._send(start)
        while True:
            message = await self._receive()
            if not isinstance(message, wire.Ask | wire.Done | wire.Faulted):
                continue
            if message.token != start.token:
                self._refuse(message)
            elif isinstance(message, wire.Ask):
                task = own_task(asyncio.get_running_loop(), self._answer(message, verbs, requests))
                self._asking.add(task)
                task.add_done_callback(self._asking.discard)
            else:
                return message

    def memory_bytes(self) -> int:
        return posix.memory_bytes(self.pid)

    def kill(self, why: str) -> None:
        """End the child and all it has started, at once."""
        self.killed_because = self.killed_because or why
        posix.kill_group(self.pid)

    async def close(self) -> None:
        """Let the child close its instance and go; kill it if it does not."""
        for task in self._asking:
            task.cancel()
        self._hang_up()
        await self._exit_status(EXIT_SECONDS)
        posix.kill_group(self.pid)
        await self._exit_status(EXIT_SECONDS)
        await asyncio.to_thread(self._folder.remove)

    async def how_it_died(self) -> str:
        """In words, after the line went dead."""
        for task in self._asking:
            task.cancel()
        told = self.killed_because or _told(await self._exit_status(EXIT_SECONDS / 5))
        posix.kill_group(self.pid)
        await self._exit_status(EXIT_SECONDS)
        self._hang_up()
        await asyncio.to_thread(self._folder.remove)
        return told

    def _hang_up(self) -> None:
        os.close(self._guard)
        if self._writer is not None:
            self._writer.close()
        else:
            self._socket.close()

    def _send(self, message: wire.Message) -> None:
        assert self._writer is not None
        self._writer.write(wire.frame(message))

    async def _receive(self) -> wire.Message:
        assert self._reader is not None
        try:
            (length,) = wire.LENGTH.unpack(await self._reader.readexactly(wire.LENGTH.size))
            return wire.message_of(await self._reader.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError):
            raise ChildDied from None

    def _refuse(self, stray: wire.Ask | wire.Done | wire.Faulted) -> None:
        """Something that the scraper has left behind speaks for an attempt that is over. What the
        browser tells of the last requests of a page may come late.
        """
        if isinstance(stray, wire.Ask) and stray.number == wire.TOLD:
            return
        self.strays += 1
        what = f"asked for {stray.verb!r}" if isinstance(stray, wire.Ask) else "sent a result"
        _log.warning(
            "scraper %s: the child process %d %s for an attempt that is over; it is ignored",
            self.scraper.name,
            self.pid,
            what,
        )
        if isinstance(stray, wire.Ask):
            error = AttemptOver("this attempt is over; nothing more is accepted for it")
            self._send(wire.Reply(stray.number, error=wire.error_of(error)))

    async def _answer(self, ask: wire.Ask, verbs: LoopVerbs, requests: ChildRequests) -> None:
        try:
            reply = wire.Reply(ask.number, await _perform(ask, verbs, requests))
        except Exception as error:  # noqa: BLE001 - it is the scraper's, in the other process
            reply = wire.Reply(ask.number, error=wire.error_of(error))
        if ask.number != wire.TOLD:
            self._send(reply)

    async def _exit_status(self, patience_seconds: float) -> int | None:
        until = asyncio.get_running_loop().time() + patience_seconds
        while (status := self._process.poll()) is None:
            if asyncio.get_running_loop().time() > until:
                return None
            await asyncio.sleep(0.005)
        return status


def _environment(database: str) -> dict[str, str]:
    """What the scraper may need, without what only the worker does: its keys to the database and
    to the files.
    """
    of_the_worker = {
        "SWATHER_DB", "SWATHER_PARAMS",
        "SWATHER_S3_ACCESS_KEY", "SWATHER_S3_SECRET_KEY", "SWATHER_S3_SESSION_TOKEN",
    }  # fmt: skip
    if factory.sqlite_path(database) is None:
        of_the_worker.add("PGPASSWORD")
    return {name: value for name, value in os.environ.items() if name not in of_the_worker}


async def _perform(  # noqa: PLR0911 - one per verb
    ask: wire.Ask, verbs: LoopVerbs, requests: ChildRequests
) -> bytes:
    """One verb of the context, on behalf of the child."""
    match ask.verb:
        case "fetch":
            return wire.pack(await verbs.fetch(wire.request_of(ask.body)))
        case "download":
            fetch = wire.fetch_of(ask.body)
            return wire.pack(await verbs.download(fetch.request, fetch.max_bytes))
        case "new_identity":
            await verbs.new_identity()
        case "checkpoint":
            made = wire.produced_of(ask.body)
            verbs.notes.sources.extend(made.sources)
            await verbs.checkpoint(made.cursor, wire.collected_of(made))
        case "progress":
            await verbs.progress(wire.from_json(ask.body))
        case "ask_source":
            return wire.pack(await verbs.ask_source(wire.from_json(ask.body)))
        case "recall":
            recall = wire.recall_of(ask.body)
            return wire.to_json(await verbs.recall(recall.keys, recall.max_age_seconds))
        case "files_named":
            return wire.to_json(sorted(await verbs.files_named(wire.from_json(ask.body))))
        case "save":
            save = wire.save_of(ask.body)
            content = save.content or save.download if save.path is None else Path(save.path)
            assert content is not None
            return wire.pack(await verbs.save(content, save.name, save.media_type))
        case _:
            return await requests.perform(ask.verb, ask.body)
    return b""


def _told(status: int | None) -> str:
    if status is None:
        return "the child process closed its connection to the worker but is still running"
    if status >= 0:
        return f"the child process ended with exit code {status} before the target was done"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = str(-status)
    hint = " (out of memory?)" if name == "SIGKILL" else ""
    return f"the child process was killed by {name}{hint}"
