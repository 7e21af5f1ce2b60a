"""What people who watch cost a run: 200 WebSocket clients and 50 pages a second while it drains.

With and without them in turns, within one run; what is kept is of the rate just before and just
after. The clients are niced, but share the machine. So does, in a turn of its own, a process that
takes as much processor time as server and clients, and asks nothing of anybody.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import swather.store
from bench import jobs
from bench.environment import OURS
from bench.figures import ROOT, Figure
from bench.processes import cpu_seconds, family_cpu_seconds, memory_mb
from bench.queues import QUEUES, Queue
from bench.setting import Setting, say
from bench.workers import folder

SOCKETS = 200
PAGES_PER_SECOND = 50
TOKEN = "a-token-of-the-benchmarks"  # noqa: S105 - of a server of its own
SETTLE_SECONDS = 3.0
# What is drained: half a second each, 200 at a time, and what costs nothing but the queue.
WORKS = ((jobs.WAIT, 200, "targets of 0.5 s"), (jobs.NOTHING, 100, "targets that do nothing"))
Found = dict[tuple[str, str], list[float]]


def measure(setting: Setting) -> list[Figure]:
    found: Found = {}
    ours = [one for one in QUEUES if one.kind == "ours" and setting.wants(one.who)]
    for queue in ours:
        for kind, slots, what in WORKS:
            say(f"  {queue.who}, {what}")
            _in_turns(setting, queue, kind, slots, partial(_note, found, queue.who, what))
    return [
        Figure(work, who, "ours", _unit(work), tuple(values))
        for (work, who), values in found.items()
    ]


def _in_turns(setting: Setting, queue: Queue, kind: str, slots: int, note: Any) -> None:
    seconds = setting.pick(5, 6)
    with queue.fresh(setting) as url, folder() as directory, _server(url) as (address, server):
        count = _enough(kind, seconds, setting.repeats)
        queue.ask("enqueue", url=url, kind=kind, count=count)
        store = swather.store.open(url)
        with queue.workers(directory, url=url, slots=slots) as workers:
            _until(lambda: _done(store, kind) > 0)
            time.sleep(SETTLE_SECONDS)
            alone = _rate(store, kind, seconds)
            note("alone", alone)
            for _ in range(setting.repeats):
                before = memory_mb(server)
                with _watchers(address, "/", f"/runs/bench-{kind}") as watchers:
                    spent = family_cpu_seconds(server)
                    of_workers = cpu_seconds(workers.pids)
                    of_watchers = family_cpu_seconds(watchers.pid)
                    watched = _rate(store, kind, seconds)
                    spent = family_cpu_seconds(server) - spent
                    of_workers = cpu_seconds(workers.pids) - of_workers
                    of_watchers = family_cpu_seconds(watchers.pid) - of_watchers
                    told = watchers.leave()
                was, alone = alone, _rate(store, kind, seconds)
                note("alone", alone)
                note("watched", watched)
                note("kept", 100 * watched / statistics.mean((was, alone)))
                note("server CPU", 100 * spent / seconds)
                note("worker CPU", 100 * of_workers / seconds)
                note("server memory grown", memory_mb(server) - before)
                note("messages per client", told["messages"] / SOCKETS / told["seconds"])
                note("reads for all", told["reads"] / told["seconds"])
                note("pages", told["requests"] / told["seconds"])
                note("page p50", 1000 * told["p50"])
                note("page p95", 1000 * told["p95"])
                note("pages failed", told["failed"])
                with _burner((spent + of_watchers) / seconds):
                    beside = _rate(store, kind, seconds)
                was, alone = alone, _rate(store, kind, seconds)
                note("kept beside a stranger", 100 * beside / statistics.mean((was, alone)))
        assert _left(store, kind), "too few targets to measure with"
        store.close()


def _note(found: Found, who: str, what: str, name: str, value: float) -> None:
    say(f"    {name}: {value:.2f}")
    found.setdefault((f"{what}: {name}", who), []).append(value)


def _unit(work: str) -> str:
    units = {
        "alone": "1/s",
        "watched": "1/s",
        "kept": "%",
        "kept beside a stranger": "%",
        "server CPU": "% of a core",
        "worker CPU": "% of a core",
        "server memory grown": "MB",
        "messages per client": "1/s",
        "reads for all": "1/s",
        "pages": "1/s",
        "page p50": "ms",
        "page p95": "ms",
        "pages failed": "pages",
    }
    return units[work.partition(": ")[2]]


def _enough(kind: str, seconds: int, repeats: int) -> int:
    per_second = 400 if kind == jobs.WAIT else 80_000
    between = 5 * repeats
    return int(per_second * ((4 * repeats + 1) * seconds + between + 2 * SETTLE_SECONDS))


@contextmanager
def _server(url: str) -> Iterator[tuple[str, int]]:
    """Its address and its process."""
    command = [str(OURS.with_name("swather")), "serve", "--port", "0", "--json", "--db", url]
    variables = {**os.environ, "SWATHER_API_TOKEN": TOKEN, "SWATHER_API_READ_TOKEN": TOKEN[::-1]}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=variables, text=True) as server:
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())["address"], server.pid
        finally:
            server.terminate()


class _Watchers:
    """Those who watch."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.pid = process.pid

    def leave(self) -> Any:
        """They end, and say what they saw."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        return json.loads(self._process.stdout.readline())


@contextmanager
def _watchers(address: str, *paths: str) -> Iterator[_Watchers]:
    given = [address, TOKEN, str(SOCKETS), str(PAGES_PER_SECOND), *paths]
    with subprocess.Popen(
        [sys.executable, "-m", "bench.ours.watchers", *given],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        yield _Watchers(process)


@contextmanager
def _burner(share: float) -> Iterator[None]:
    """Somebody else's process."""
    command = [sys.executable, "-m", "bench.ours.burner", str(share)]
    with subprocess.Popen(command, cwd=ROOT) as process:
        try:
            time.sleep(1.0)
            yield
        finally:
            process.terminate()


def _rate(store: swather.store.Store, kind: str, seconds: float) -> float:
    before, began = _done(store, kind), time.monotonic()
    time.sleep(seconds)
    return (_done(store, kind) - before) / (time.monotonic() - began)


def _done(store: swather.store.Store, kind: str) -> int:
    return store.runs.counts(f"bench-{kind}").completed


def _left(store: swather.store.Store, kind: str) -> int:
    return store.runs.counts(f"bench-{kind}").unfinished


def _until(holds: Any) -> None:
    while not holds():
        time.sleep(0.1)
