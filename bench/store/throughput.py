"""How much per second: enqueue, claim + finish, and draining under an old snapshot."""

import time
from collections.abc import Callable, Iterator
from statistics import mean

import psycopg

from bench.store.measure import MemoryWatch, rates_in_turns, say
from bench.store.raw import Row
from bench.store.report import Figure, at_least, at_most
from bench.store.setups import Setup, completed
from swather.model.run import Run
from swather.model.task import Target
from swather.store.writer import Writer

LANE = "example.com"
ENQUEUE_BARS = {"sqlite": (0.20, 44_000), "postgres": (0.15, 30_300)}
ENQUEUE_ROUNDS = 5
FLAT_MB = 16.0
BATCHES = (10, 100)
DRAIN_BAR = 0.5
SNAPSHOT_BAR = 0.3
ROUND_SECONDS = 1.5


def enqueue(setup: Setup, rows: int) -> Iterator[Figure]:
    say(f"{setup.database}: enqueue {rows:,} targets")
    run = setup.new_run()
    share = rows // ENQUEUE_ROUNDS
    watch = MemoryWatch(every=max(share // 50, 1))
    ours, raw = [], []
    for turn in range(ENQUEUE_ROUNDS):
        numbers = range(turn * share, (turn + 1) * share)
        targets = watch.over(_targets(numbers))
        ours.append(_seconds(setup.store.tasks.enqueue, run.name, targets))
        raw.append(_seconds(setup.raw.add, _rows(numbers)))
    again = _seconds(setup.store.tasks.enqueue, run.name, _targets(range(share)))
    ratio, absolute = ENQUEUE_BARS[setup.database]
    measured = Figure(
        "enqueue", setup.database, "new targets, deduped", rows / sum(ours), "/s", rows / sum(raw)
    )
    yield at_least(measured, ratio=ratio, value=absolute)
    yield Figure("enqueue", setup.database, "all of them duplicates", share / again, "/s")
    growth = watch.growth_mb(last=2)
    name = "memory growth over the last two fifths"
    yield at_most(Figure("enqueue", setup.database, name, growth, "MB"), value=FLAT_MB)


def drain(setup: Setup, rows: int) -> Iterator[Figure]:
    for batch in BATCHES:
        say(f"{setup.database}: claim + finish in batches of {batch}, from {rows:,}")
        run = setup.new_run()
        setup.backlog.add_ready(run.id, rows)
        setup.backlog.settle_down()
        setup.raw.fill(2 * rows)
        with Writer(setup.store) as writer:
            rates = rates_in_turns(
                {
                    "ours": drainer(setup, run, batch),
                    "writer": _drainer_through(writer, setup, run, batch),
                    "raw": raw_drainer(setup.raw.exchange_in_one, batch),
                    "raw in two": raw_drainer(setup.raw.exchange_in_two, batch),
                },
                seconds=ROUND_SECONDS,
            )
        best = max(rates["raw"], rates["raw in two"])
        name = f"claim + finish, {batch} at once"
        figure = Figure("drain", setup.database, name, rates["ours"], "/s", best)
        yield at_least(figure, ratio=DRAIN_BAR)
        name = f"the same through the writer, {batch} callers"
        yield Figure("drain", setup.database, name, rates["writer"], "/s", best)


def drainer(setup: Setup, run: Run, batch: int) -> Callable[[], int]:
    """A step that finishes what the last one claimed and claims the next."""
    request = setup.request(run, batch)
    held = setup.store.queue.claim(request).leases

    def step() -> int:
        nonlocal held
        done = len(held)
        claimed = setup.store.queue.finish(completed(held), request).claimed
        assert claimed is not None
        held = claimed.leases
        return done

    return step


def raw_drainer(exchange: Callable[[list[int], int], list[int]], batch: int) -> Callable[[], int]:
    held = exchange([], batch)

    def step() -> int:
        nonlocal held
        done = len(held)
        held = exchange(held, batch)
        return done

    return step


def snapshot(setup: Setup, rows: int, seconds: float) -> Iterator[Figure]:
    """Only PostgreSQL keeps dead rows for an old snapshot; SQLite's readers hold up its WAL."""
    if setup.database != "postgres":
        return
    say(f"{setup.database}: {seconds:.0f} s of draining under an idle REPEATABLE READ")
    run = setup.new_run()
    setup.backlog.add_ready(run.id, rows)
    setup.backlog.settle_down()
    setup.raw.fill(rows)
    ours = under_old_snapshot(setup.url, drainer(setup, run, 100), seconds)
    raw = under_old_snapshot(setup.url, raw_drainer(setup.raw.exchange_in_two, 100), seconds)
    name = f"last 5 s of {seconds:.0f} s, first 5 s as base"
    kept = Figure("snapshot", setup.database, name, ours[1], "/s", ours[0])
    yield at_least(kept, ratio=SNAPSHOT_BAR)
    yield Figure("snapshot", setup.database, f"hand-written SQL, {name}", raw[1], "/s", raw[0])


def under_old_snapshot(
    url: str, step: Callable[[], int], seconds: float, window: float = 5.0
) -> tuple[float, float]:
    """Tasks per second in the first and in the last seconds."""
    with psycopg.connect(url) as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM pg_class")
        per_second = [0] * (int(seconds) + 1)
        begun = time.perf_counter()
        while (elapsed := time.perf_counter() - begun) < seconds:
            done = step()
            if not done:
                raise RuntimeError(f"the backlog was used up after {elapsed:.0f} s: raise --rows")
            per_second[int(elapsed)] += done
    wide = int(window)
    return mean(per_second[:wide]), mean(per_second[int(seconds) - wide : int(seconds)])


def _drainer_through(writer: Writer, setup: Setup, run: Run, batch: int) -> Callable[[], int]:
    """Each of `batch` callers hands over its own outcome, and one asks for the next tasks."""
    request = setup.request(run, batch)
    held = writer.claim(request).result().leases

    def step() -> int:
        nonlocal held
        futures = [writer.finish([outcome]) for outcome in completed(held)]
        claimed = writer.claim(request)
        for future in futures:
            future.result()
        done = len(held)
        held = claimed.result().leases
        return done

    return step


def _targets(numbers: range) -> Iterator[Target]:
    return (Target(value=f"https://example.com/{n}", lane=LANE) for n in numbers)


def _rows(numbers: range) -> Iterator[Row]:
    return ((b"%032d" % n, f'"https://example.com/{n}"') for n in numbers)


def _seconds(work: Callable[..., object], *arguments: object) -> float:
    begun = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - begun
