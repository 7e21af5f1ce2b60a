"""`python -m bench.costs`: what PostgreSQL spends on each thing that workers ask of it.

Processor time of the server's processes, not the time that passes: it stays the same on a busy
machine. The figures go to build/bench/results/costs.json, where the simulation reads them.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import psycopg

import swather.store
from bench.figures import RESULTS
from bench.processes import TICKS, family
from bench.servers.postgres import postgres_server
from swather import posix
from swather.model.lease import ClaimRequest, Lease
from swather.model.outcome import Completed, Item
from swather.model.run import NewRun
from swather.model.task import Target
from swather.model.worker import NewWorker
from swather.store import Store

FILE = RESULTS / "costs.json"
BATCHES = (1, 2, 5, 10, 50, 100)
TASKS_PER_BATCH = 3_000
TIMES = 1_000
HELD = 10
SIZED = 200_000
LANES = 50_000
ITEM = {"title": "A Light in the Attic", "price": "51.77", "in_stock": True}


@dataclass(frozen=True)
class Costs:
    """Seconds of the server's processors, and bytes of its disk.

    turn     one transaction that finishes tasks and claims others, without its tasks
    task     each task of it
    look     to ask whether anything was changed by hand, which every worker does twice a second
    beat     to keep the leases of a worker, which a busy one does every two seconds
    enqueue  one target
    commit   how long a commit waits for the disk; no processor is busy then
    """

    turn: float
    task: float
    look: float
    beat: float
    enqueue: float
    commit: float
    bytes_per_ready_task: float
    bytes_per_finished_task: float
    bytes_per_lane: float


def load(path: Path = FILE) -> Costs:
    """What was measured last."""
    return Costs(**json.loads(path.read_text()))


def fit(points: list[tuple[int, float]]) -> tuple[float, float]:
    """The line through (batch, seconds) by least squares of the relative error, so that small
    batches count as much as large ones.
    """
    weights = [1 / seconds**2 for _, seconds in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points, strict=True)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points, strict=True)) / total
    spread = sum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points, strict=True))
    slope = (
        sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points, strict=True))
        / spread
    )
    return mean_y - slope * mean_x, slope


class Measuring:
    """One worker's store, and the processes of the server it talks to."""

    def __init__(self, store: Store, server: int, sql: psycopg.Connection) -> None:
        self.store = store
        self.server = server
        self.sql = sql
        self.worker = store.workers.register(
            NewWorker(process=posix.this_process(), lease_seconds=3_600.0)
        )
        self._runs = 0

    def spent(self) -> float:
        """Processor seconds of the server so far, backends that have ended included."""
        total = 0
        for pid in family(self.server):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += sum(int(field) for field in fields[11:13])
            if pid == self.server:
                total += sum(int(field) for field in fields[13:15])
        return total / TICKS

    def each(self, times: int, call: Callable[[], object]) -> float:
        """Server seconds of one call."""
        before = self.spent()
        for _ in range(times):
            call()
        return (self.spent() - before) / times

    def run(self, targets: Iterator[Target], count: int) -> tuple[str, float]:
        """A run with that many targets, and what one of them cost."""
        self._runs += 1
        name = f"costs-{self._runs}"
        self.store.runs.create(NewRun(scraper="costs", name=name))
        before = self.spent()
        self.store.tasks.enqueue(name, targets)
        return name, (self.spent() - before) / count

    def turns(self, batch: int) -> float:
        """Server seconds of one turn with that many tasks."""
        turns = max(TASKS_PER_BATCH // batch, 100)
        run, _ = self.run(_targets(batch * (turns + 2)), batch * (turns + 2))
        request = ClaimRequest(worker_id=self.worker, count=batch, runs=(run,))
        leases = self.store.queue.claim(request).leases
        before = self.spent()
        for _ in range(turns):
            finished = self.store.queue.finish(_completed(leases), request)
            assert finished.claimed is not None
            leases = finished.claimed.leases
            assert len(leases) == batch, (batch, len(leases))
        cost = (self.spent() - before) / turns
        self.store.queue.finish(_completed(leases))
        self.store.runs.cancel(run)
        return cost

    def commit_seconds(self) -> float:
        """The wait for the disk: how long a tiny commit takes beyond one that waits for nothing."""
        self.sql.execute("CREATE TEMPORARY TABLE IF NOT EXISTS unlogged (n int)")
        self.sql.execute("CREATE TABLE IF NOT EXISTS public.logged (n int)")
        return median(self._timed("public.logged")) - median(self._timed("unlogged"))

    def _timed(self, table: str) -> list[float]:
        taken = []
        for number in range(300):
            began = time.perf_counter()
            self.sql.execute(f"INSERT INTO {table} VALUES ({number})")
            taken.append(time.perf_counter() - began)
        return taken

    def size(self) -> int:
        """Bytes of all tables and indexes."""
        self.sql.execute("VACUUM")
        row = self.sql.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class "
            "WHERE relnamespace = 'swather'::regnamespace AND relkind = 'r'"
        ).fetchone()
        assert row is not None
        return int(row[0])


def _targets(count: int, lanes: int = 1) -> Iterator[Target]:
    for number in range(count):
        url = f"https://example.com/products/{number}"
        yield Target(value={"url": url}, lane=f"shop{number % lanes}.example")


def _completed(leases: Sequence[Lease]) -> list[Completed]:
    items = (Item(ITEM),)
    return [Completed(task_id=one.task_id, token=one.token, items=items) for one in leases]


def measure(measuring: Measuring) -> Costs:
    """About a minute on an idle machine."""
    turn, task = fit([(batch, measuring.turns(batch)) for batch in BATCHES])
    store, worker = measuring.store, measuring.worker
    look = measuring.each(TIMES, store.settings.control_version)
    run, _ = measuring.run(_targets(HELD), HELD)
    held = store.queue.claim(ClaimRequest(worker_id=worker, count=HELD, runs=(run,))).leases
    fences = [lease.fence for lease in held]
    said = {"completed": 1_000, "failed": 3, "average_seconds": 0.2, "slots": HELD}
    beat = measuring.each(TIMES, lambda: store.workers.beat(worker, fences, said))
    ready, finished, enqueue = _sizes(measuring)
    before = measuring.size()
    measuring.run(_targets(LANES, LANES), LANES)
    per_lane = (measuring.size() - before) / LANES - ready
    return Costs(
        turn=turn,
        task=task,
        look=look,
        beat=beat,
        enqueue=enqueue,
        commit=measuring.commit_seconds(),
        bytes_per_ready_task=ready,
        bytes_per_finished_task=finished,
        bytes_per_lane=per_lane,
    )


def _sizes(measuring: Measuring) -> tuple[float, float, float]:
    """Bytes of a task that waits, and of one that is done with one item; what one cost to add."""
    before = measuring.size()
    run, cost = measuring.run(_targets(SIZED), SIZED)
    ready = (measuring.size() - before) / SIZED
    request = ClaimRequest(worker_id=measuring.worker, count=1_000, runs=(run,))
    while leases := measuring.store.queue.claim(request).leases:
        measuring.store.queue.finish(_completed(leases))
    # What tasks leave behind in the tables of waiting ones is used again by others.
    measuring.sql.execute("VACUUM FULL")
    return ready, (measuring.size() - before) / SIZED, cost


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(prog="python -m bench.costs", description=__doc__)
    parser.add_argument("--pooled", action="store_true", help="as behind a pooler; is not kept")
    pooled = parser.parse_args().pooled
    with postgres_server() as server, server.fresh_database() as address:
        url = f"{address}&prepare=off" if pooled else address
        swather.store.prepare(url)
        with (
            closing(swather.store.open(url)) as store,
            psycopg.connect(address, autocommit=True) as sql,
        ):
            row = sql.execute("SHOW data_directory").fetchone()
            assert row is not None
            postmaster = int((Path(row[0]) / "postmaster.pid").read_text().split()[0])
            costs = measure(Measuring(store, postmaster, sql))
    text = json.dumps(asdict(costs), indent=1)
    print(text)
    if not pooled:
        RESULTS.mkdir(parents=True, exist_ok=True)
        FILE.write_text(f"{text}\n")


if __name__ == "__main__":
    main()
