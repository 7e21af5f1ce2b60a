"""The walk of one task through the code, from its lease to its commit: how many files it passes,
and how often one calls another. `python -m tests.house.test_walk` lists them.
"""

import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
import pytest

import swather.store
from swather.model.lease import ClaimRequest
from swather.model.outcome import Outcome
from swather.model.run import NewRun
from swather.scraping.scraper import scraper
from swather.scraping.targets import target_of
from swather.store.sqlite.queue import SQLiteQueue
from swather.testing.site import FakeSite
from swather.worker import Worker, engine
from tests.worker.given import wait_until

SOURCE = f"{Path(swather.store.__file__).parents[1]}/"
WARM_UP = 20
# A change that needs more should say why.
MOST_FILES = 48
MOST_HOPS = 250
# What the other threads of a worker do meanwhile, on a busy machine, is counted with it.
TRIES = 5


@scraper(allow_private=True)
async def titles(ctx, url):
    page = await ctx.get(url)
    return {"title": page.css_first("h1").text()}


class Walk:
    """Calls between files of Swather while `is_on`, on all threads that begin after it."""

    def __init__(self) -> None:
        self.is_on = False
        self.files: Counter[str] = Counter()
        self.hops: Counter[tuple[str, str]] = Counter()

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        if not self.is_on or event != "call":
            return
        here = _file_of(frame)
        caller = frame.f_back
        while caller is not None and not _file_of(caller):
            caller = caller.f_back
        before = "" if caller is None else _file_of(caller)
        if here:
            self.files[here] += 1
        if here and before and before != here:
            self.hops[before, here] += 1


def _file_of(frame: FrameType) -> str:
    name = frame.f_code.co_filename
    return name.removeprefix(SOURCE) if name.startswith(SOURCE) and "/testing/" not in name else ""


class Watch:
    """Notes the walk of the first task that is claimed once it is `armed`."""

    def __init__(self) -> None:
        self.walk = Walk()
        self.armed = False
        self.ended = threading.Event()

    @contextmanager
    def watching(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        claim, finish = SQLiteQueue.claim, SQLiteQueue.finish

        def watched_claim(queue: SQLiteQueue, request: ClaimRequest) -> Any:
            claimed = claim(queue, request)
            if claimed.leases and self.armed:
                self.walk.is_on = True
            return claimed

        def watched_finish(
            queue: SQLiteQueue, outcomes: list[Outcome], request: ClaimRequest | None = None
        ) -> Any:
            finished = finish(queue, outcomes, request)
            if outcomes and self.walk.is_on:
                self.walk.is_on = self.armed = False
                self.ended.set()
            return finished

        monkeypatch.setattr(SQLiteQueue, "claim", watched_claim)
        monkeypatch.setattr(SQLiteQueue, "finish", watched_finish)
        threading.setprofile(self.walk.note)
        try:
            yield
        finally:
            threading.setprofile(None)


def walk_of_one_task(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Walk:
    watch = Watch()
    # What a worker does now and then is not on the way of a task.
    monkeypatch.setattr(engine, "TICK_SECONDS", 3_600)
    store = swather.store.open(f"sqlite:///{folder}/walk.db")
    routes = {f"/{number}": "<h1>here</h1>" for number in range(WARM_UP + 1)}
    with FakeSite(routes) as site, watch.watching(monkeypatch):
        run = store.runs.create(NewRun(scraper=titles.name)).name
        targets = [target_of(titles, f"{site.url}{path}") for path in routes]
        # One that is never due keeps the run open, and known to the worker.
        later = target_of(titles, f"{site.url}/later")
        later = msgspec.structs.replace(later, due_in_seconds=3_600)
        store.tasks.enqueue(run, [*targets[:-1], later])
        worker = Worker(
            url=store.url,
            scrapers={titles.name: titles},
            forever=True,
            files_folder=folder,
            watchdog_seconds=3_600,
        )
        working = threading.Thread(target=worker.run)
        working.start()
        wait_until(lambda: store.runs.counts(run).completed == WARM_UP)
        watch.armed = True
        store.tasks.enqueue(run, targets[-1:])
        store.hints.send()
        assert watch.ended.wait(30)
        worker.stop()
        working.join()
    store.close()
    return watch.walk


@pytest.mark.slow
def test_the_walk_of_a_task_is_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for number in range(TRIES):
        folder = tmp_path / str(number)
        folder.mkdir()
        walk = walk_of_one_task(folder, monkeypatch)
        if len(walk.files) <= MOST_FILES and walk.hops.total() <= MOST_HOPS:
            return
    pytest.fail(f"{len(walk.files)} files, {walk.hops.total()} hops: {walk.hops.most_common(30)}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made, pytest.MonkeyPatch.context() as patching:
        found = walk_of_one_task(Path(made), patching)
    for name, calls in sorted(found.files.items()):
        sys.stdout.write(f"{calls:4} {name}\n")
    for (before, after), times in found.hops.most_common(25):
        sys.stdout.write(f"{times:4} {before} -> {after}\n")
    sys.stdout.write(f"{len(found.files)} files, {found.hops.total()} hops\n")
