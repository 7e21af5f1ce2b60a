"""One trial: workers on a run that is still being loaded, a fault, and the count afterwards."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final, TypeVar

import swather.store
from faults.count import Count, count
from faults.injections import Fault
from faults.ledger import Ledger
from faults.network import MACHINES, Network
from faults.proxy import CuttingProxy
from swather.errors import SwatherError
from swather.model.run import NewRun
from swather.model.task import Target

T = TypeVar("T")

ROOT: Final = Path(__file__).parents[1]
BATCH: Final = 10
# Until everything must have ended: three leases, and the longest backoff (2 + 4 + 8 s).
_DRAIN_SECONDS: Final = 60.0


class Trial:
    """`url` leads to a prepared, empty database; with `through`, workers go through a proxy, and
    with a `network`, they are on its machines in turn.
    """

    def __init__(
        self,
        url: str,
        folder: Path,
        random: Random,
        *,
        targets: int,
        fenced: bool = True,
        through: CuttingProxy | None = None,
        network: Network | None = None,
        lease_seconds: float = 3.0,
        longest_seconds: float = 1.0,
    ) -> None:
        self.url = url
        self.folder = folder
        self.proxy = through
        self.network = network
        self._started = 0
        self.lease_seconds = lease_seconds
        self._longest_seconds = longest_seconds
        self._fenced = fenced
        self._random = random
        self._targets = targets
        self._ledger = Ledger(folder)
        self._store = swather.store.open(url)
        self.run = self._store.runs.create(NewRun(scraper="campaign", version="1")).name
        self.workers: list[subprocess.Popen[bytes]] = []

    def hold(self, fault: Fault) -> Count:
        """Load and scrape under the fault, then without it until all has ended."""
        loading = threading.Thread(target=self._load)
        loading.start()
        self.workers = [self._start() for _ in range(3)]
        try:
            self._wait_for_workers()
            while loading.is_alive() or self._left() > self._targets // 10:
                time.sleep(self._random.uniform(0.2, 1.5))
                fault(self, self._random)
                self._replace_ended()
            loading.join()
            self._drain()
        finally:
            for worker in self.workers:
                worker.kill()
                worker.wait()
        try:
            return count(self._store, self.run, self._ledger, self.folder)
        finally:
            self._store.close()

    def replace(self, worker: subprocess.Popen[bytes]) -> None:
        self.workers[self.workers.index(worker)] = self._start()

    def wait_for_server(self) -> None:
        self._patiently(lambda: self._store.runs.get(self.run))

    def unpause(self) -> None:
        self._patiently(lambda: self._store.runs.unpause(self.run))

    def _load(self) -> None:
        store = self._store.another()
        keys = [f"k{number}" for number in range(self._targets)]
        for first in range(0, len(keys), BATCH):
            batch = keys[first : first + BATCH]
            self._ledger.attempt(batch)
            targets = [self._target(key) for key in batch]
            # Repeated until it is acknowledged, as every producer does.
            self._patiently(lambda targets=targets: store.tasks.enqueue(self.run, targets))
            self._ledger.acknowledge(batch)
            time.sleep(0.02)
        store.close()

    def _target(self, key: str) -> Target:
        value = {
            "key": key,
            "ledger": str(self._ledger.executed),
            "seconds": self._longest_seconds,
            "saves": key.endswith(("0", "5")),
        }
        return Target(value=value, key=key)

    def _wait_for_workers(self) -> None:
        """A fault that meets workers which have not begun yet shows nothing."""
        deadline = time.monotonic() + 30.0
        expected = {worker.pid for worker in self.workers}
        while not expected <= self._ledger.pids and time.monotonic() < deadline:
            time.sleep(0.05)

    def _drain(self) -> None:
        deadline = time.monotonic() + _DRAIN_SECONDS
        while time.monotonic() < deadline:
            self._replace_ended()
            if not self._left() and not self._patiently(self._store.results.unlinked):
                return
            time.sleep(0.2)

    def _replace_ended(self) -> None:
        """As `swather run` does with its workers: one that could not begin, or gave up, is
        followed by another.
        """
        for worker in list(self.workers):
            if worker.poll() is not None:
                self.replace(worker)

    def _left(self) -> int:
        return self._patiently(lambda: self._store.runs.counts(self.run).unfinished)

    def _patiently(self, verb: Callable[[], T]) -> T:
        """Repeat a verb until the database, which is under fire, has done it."""
        deadline = time.monotonic() + 60.0
        while True:
            try:
                return verb()
            except SwatherError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def _start(self) -> "subprocess.Popen[bytes]":
        fenced = "fenced" if self._fenced else "unfenced"
        command = [
            sys.executable, "-m", "faults.worker",
            self._workers_url, self.run, str(self.folder / "files"), str(self.lease_seconds),
            fenced,
        ]  # fmt: skip
        if self.network is not None:
            command = self.network.command(self._started % MACHINES, command)
        self._started += 1
        with (self.folder / "workers.log").open("ab") as log:
            return subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    @property
    def _workers_url(self) -> str:
        if self.network is not None:
            return self.network.url(self.url)
        return self.url if self.proxy is None else self.proxy.url
