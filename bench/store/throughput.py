"""How much per second: enqueue, claim + finish, and draining under an old snapshot."""

import time
from collections.abc import Callable, Iterator
from statistics import mean

import psycopg

from bench.store.measure import MemoryWatch, rates_in_turns, say
from bench.store.places import Place, completed
from bench.store.raw import Row
from bench.store.report import Figure, at_least, at_most
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


def enqueue(place: Place, rows: int) -> Iterator[Figure]:
    say(f"{place.database}: enqueue {rows:,} targets")
    run = place.new_run()
    share = rows // ENQUEUE_ROUNDS
    watch = MemoryWatch(every=max(share // 50, 1))
    ours, raw = [], []
    for turn in range(ENQUEUE_ROUNDS):
        numbers = range(turn * share, (turn + 1) * share)
        targets = watch.over(_targets(numbers))
        ours.append(_seconds(place.store.tasks.enqueue, run.name, targets))
        raw.append(_seconds(place.raw.add, _rows(numbers)))
    again = _seconds(place.store.tasks.enqueue, run.name, _targets(range(share)))
    ratio, absolute = ENQUEUE_BARS[place.database]
    measured = Figure(
        "enqueue", place.database, "new targets, deduped", rows / sum(ours), "/s", rows / sum(raw)
    )
    yield at_least(measured, ratio=ratio, value=absolute)
    yield Figure("enqueue", place.database, "all of them duplicates", share / again, "/s")
    growth = watch.growth_mb(last=2)
    name = "memory growth over the last two fifths"
    yield at_most(Figure("enqueue", place.database, name, growth, "MB"), value=FLAT_MB)


def drain(place: Place, rows: int) -> Iterator[Figure]:
    for batch in BATCHES:
        say(f"{place.database}: claim + finish in batches of {batch}, from {rows:,}")
        run = place.new_run()
        place.backlog.add_ready(run.id, rows)
        place.backlog.settle_down()
        place.raw.fill(2 * rows)
        with Writer(place.store) as writer:
            rates = rates_in_turns(
                {
                    "ours": drainer(place, run, batch),
                    "writer": _drainer_through(writer, place, run, batch),
                    "raw": raw_drainer(place.raw.exchange_in_one, batch),
                    "raw in two": raw_drainer(place.raw.exchange_in_two, batch),
                },
                seconds=ROUND_SECONDS,
            )
        best = max(rates["raw"], rates["raw in two"])
        name = f"claim + finish, {batch} at once"
        figure = Figure("drain", place.database, name, rates["ours"], "/s", best)
        yield at_least(figure, ratio=DRAIN_BAR)
        name = f"the same through the writer, {batch} callers"
        yield Figure("drain", place.database, name, rates["writer"], "/s", best)


def drainer(place: Place, run: Run, batch: int) -> Callable[[], int]:
    """A step that finishes what the last one claimed and claims the next."""
    request = place.request(run, batch)
    held = place.store.queue.claim(request).leases

    def step() -> int:
        nonlocal held
        done = len(held)
        claimed = place.store.queue.finish(completed(held), request).claimed
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


def snapshot(place: Place, rows: int, seconds: float) -> Iterator[Figure]:
    """Only PostgreSQL keeps dead rows for an old snapshot; SQLite's readers hold up its WAL."""
    if place.database != "postgres":
        return
    say(f"{place.database}: {seconds:.0f} s of draining under an idle REPEATABLE READ")
    run = place.new_run()
    place.backlog.add_ready(run.id, rows)
    place.backlog.settle_down()
    place.raw.fill(rows)
    ours = under_old_snapshot(place.url, drainer(place, run, 100), seconds)
    raw = under_old_snapshot(place.url, raw_drainer(place.raw.exchange_in_two, 100), seconds)
    name = f"last 5 s of {seconds:.0f} s, first 5 s as base"
    kept = Figure("snapshot", place.database, name, ours[1], "/s", ours[0])
    yield at_least(kept, ratio=SNAPSHOT_BAR)
    yield Figure("snapshot", place.database, f"hand-written SQL, {name}", raw[1], "/s", raw[0])


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


def _drainer_through(writer: Writer, place: Place, run: Run, batch: int) -> Callable[[], int]:
    """Each of `batch` callers hands over its own outcome, and one asks for the next tasks."""
    request = place.request(run, batch)
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
