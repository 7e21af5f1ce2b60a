"""`python -m bench.simulate`: 1 to 10,000 workers on one PostgreSQL, simulated event by event.

A worker hands over the outcomes it has and asks for as many tasks as it can start, in one
transaction; the next waits until that is back, and takes along what has ended meanwhile. So batches
grow as the database slows down, here as in worker/exchange.py. The database is a number of cores
that serve what comes in turn; what each thing costs them is measured by bench/costs.py.
"""

import argparse
import heapq
import json
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from bench.costs import FILE, Costs, load
from swather.worker.beat import BUSY_BEAT_SECONDS, LOOK_SECONDS, pause_after
from swather.worker.claiming import HORIZON_SECONDS

FLEETS = (1, 10, 100, 1_000, 10_000)
LEASE_SECONDS = 60.0
SPREAD = 0.1


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """`cores_per_worker` 0: the workers run on the cores of the database, as on one machine."""

    workers: int
    slots: int = 10
    page_seconds: float = 0.2
    page_cpu_seconds: float = 0.0005
    cores_per_worker: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Database:
    cores: int = 2
    round_trip_seconds: float = 0.0005


class Simulated(NamedTuple):
    """`busy`: the share of the database's cores that was used; `turn_p50`, `turn_p99`: how long
    workers waited for a transaction; `batch`: tasks in one.
    """

    pages_per_second: float
    busy: float
    turn_p50: float
    turn_p99: float
    batch: float

    def ideal(self, fleet: Fleet) -> float:
        """The share of what the slots could do if nothing else took any time."""
        return self.pages_per_second / (fleet.workers * fleet.slots / fleet.page_seconds)


class Cores:
    """Processors that serve one thing after the other, whoever asks first."""

    def __init__(self, count: int) -> None:
        self._free_at = [0.0] * count
        self.busy_seconds = 0.0

    def serve(self, now: float, seconds: float) -> float:
        """When something that comes now and takes so long is done."""
        done = max(now, heapq.heappop(self._free_at)) + seconds
        heapq.heappush(self._free_at, done)
        self.busy_seconds += seconds
        return done


class Worker:
    """Its slots, the tasks it has claimed ahead, and the outcomes it has not handed over."""

    __slots__ = ("cores", "free", "is_waiting", "outcomes", "stock")

    def __init__(self, slots: int, cores: Cores) -> None:
        self.free = slots
        self.stock = 0
        self.outcomes = 0
        self.is_waiting = False
        self.cores = cores


class Simulation:
    """`run` it once."""

    def __init__(self, fleet: Fleet, database: Database, costs: Costs, seed: int = 0) -> None:
        self._fleet = fleet
        self._database = database
        self._costs = costs
        self._random = Random(seed)
        self._cores = Cores(database.cores)
        self._events: list[tuple[float, int, Callable[[float, Worker], None], Worker]] = []
        self._number = 0
        self._pages = 0
        self._turns: deque[float] = deque()
        self._handed_over = 0
        self._counts_from = 0.0
        self._ahead = int(fleet.slots * HORIZON_SECONDS / fleet.page_seconds)

    def run(self, seconds: float, warm_up: float) -> Simulated:
        """So many seconds of the fleet's life, after those in which it starts."""
        self._counts_from = warm_up
        for _ in range(self._fleet.workers):
            shares = self._fleet.cores_per_worker == 0
            worker = Worker(self._fleet.slots, self._cores if shares else Cores(1))
            # They start within the warm-up, one after the other.
            at = self._random.random() * warm_up / 2
            self._at(at, self._exchange, worker)
            self._at(at + self._random.random() * LOOK_SECONDS, self._look, worker)
            self._at(at + self._random.random() * BUSY_BEAT_SECONDS, self._beat, worker)
        busy_before = 0.0
        end = warm_up + seconds
        while self._events and self._events[0][0] < end:
            now, _, happens, worker = heapq.heappop(self._events)
            if now < warm_up:
                busy_before = self._cores.busy_seconds
            happens(now, worker)
        busy = min((self._cores.busy_seconds - busy_before) / seconds / self._database.cores, 1.0)
        waits = sorted(self._turns) or [0.0]
        return Simulated(
            pages_per_second=self._pages / seconds,
            busy=busy,
            turn_p50=waits[len(waits) // 2],
            turn_p99=waits[len(waits) * 99 // 100],
            batch=self._handed_over / len(waits),
        )

    def _at(self, at: float, happens: Callable[[float, Worker], None], worker: Worker) -> None:
        self._number += 1
        heapq.heappush(self._events, (at, self._number, happens, worker))

    def _exchange(self, now: float, worker: Worker) -> None:
        """Hand over what has ended, and ask for what the free slots and the stock lack."""
        wanted = worker.free + self._ahead - worker.stock
        if worker.is_waiting or not (wanted > 0 or worker.outcomes):
            return
        if not worker.free and 2 * wanted < self._ahead:
            return
        outcomes, worker.outcomes = worker.outcomes, 0
        worker.is_waiting = True
        seconds = self._costs.turn + self._costs.task * max(outcomes, wanted)
        served = self._cores.serve(now + self._database.round_trip_seconds / 2, seconds)
        done = served + self._costs.commit + self._database.round_trip_seconds / 2
        if now >= self._counts_from:
            self._turns.append(done - now)
            self._handed_over += outcomes

        def answered(at: float, worker: Worker) -> None:
            worker.is_waiting = False
            worker.stock += wanted
            if at >= self._counts_from:
                self._pages += outcomes
            self._start(at, worker)
            self._exchange(at, worker)

        self._at(done, answered, worker)

    def _start(self, now: float, worker: Worker) -> None:
        while worker.free and worker.stock:
            worker.free -= 1
            worker.stock -= 1
            took = self._fleet.page_seconds * self._random.uniform(1 - SPREAD, 1 + SPREAD)
            self._at(now + took, self._ended, worker)

    def _ended(self, now: float, worker: Worker) -> None:
        """The page is here, and the worker's processor takes its time over it."""
        self._at(worker.cores.serve(now, self._fleet.page_cpu_seconds), self._reported, worker)

    def _reported(self, now: float, worker: Worker) -> None:
        worker.free += 1
        worker.outcomes += 1
        self._start(now, worker)
        self._exchange(now, worker)

    def _look(self, now: float, worker: Worker) -> None:
        done = self._cores.serve(now, self._costs.look)
        self._at(done + LOOK_SECONDS, self._look, worker)

    def _beat(self, now: float, worker: Worker) -> None:
        done = self._cores.serve(now, self._costs.beat)
        rest = min(pause_after(done - now, BUSY_BEAT_SECONDS), LEASE_SECONDS / 3)
        self._at(done + rest, self._beat, worker)


def simulate(fleet: Fleet, database: Database, costs: Costs, *, seconds: float = 10.0) -> Simulated:
    """What a fleet does on a database, once all of it has started."""
    return Simulation(fleet, database, costs).run(seconds, max(2.0, fleet.workers / 250))


def main() -> int:
    """A table of fleets."""
    options = _options()
    if not FILE.is_file():
        print("measure the costs first: python -m bench.costs", file=sys.stderr)
        return 2
    costs = load()
    database = Database(cores=options.cores, round_trip_seconds=options.round_trip_ms / 1e3)
    rows = []
    for workers in options.workers or FLEETS:
        fleet = Fleet(workers=workers, slots=options.slots, page_seconds=options.page_seconds)
        found = simulate(fleet, database, costs, seconds=options.seconds)
        rows.append({"workers": workers, "ideal": found.ideal(fleet), **found._asdict()})
    if options.json:
        print(json.dumps(rows, indent=1))
        return 0
    print(
        f"{'workers':>8} {'pages/s':>10} {'of ideal':>9} {'database':>9} {'p50':>9} {'p99':>9}"
        f" {'batch':>7}"
    )
    for row in rows:
        print(
            f"{row['workers']:>8,} {row['pages_per_second']:>10,.0f} {row['ideal']:>9.0%} "
            f"{row['busy']:>9.0%} {row['turn_p50'] * 1e3:>6,.1f} ms "
            f"{row['turn_p99'] * 1e3:>6,.1f} ms {row['batch']:>7.1f}"
        )
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.simulate", description=__doc__)
    parser.add_argument("--workers", type=int, nargs="*", help="sizes of the fleet")
    parser.add_argument("--slots", type=int, default=10, help="concurrent pages of each worker")
    parser.add_argument("--page-seconds", type=float, default=0.2, help="how long a page takes")
    parser.add_argument("--cores", type=int, default=2, help="of the database")
    parser.add_argument("--round-trip-ms", type=float, default=0.5, help="to the database")
    parser.add_argument("--seconds", type=float, default=10.0, help="simulated time")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
