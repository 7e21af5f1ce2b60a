"""How long one call takes: a claim of ten at every depth, and pausing a long run."""

import time
from collections.abc import Callable, Iterator

from store_measure import Latency, latency, say
from store_places import Place, completed
from store_report import Figure, at_most

from swather.model.lease import Claimed
from swather.model.run import Run

CLAIM = 10
CLAIM_BARS_MS = {"sqlite": 1.0, "postgres": 2.0}
DEPTH_BAR = 1.5
BASE = 1_000
PER_LANE = 10
PAUSE_BAR_MS = 10.0


def claim(small: Place, large: Place, rows: int, times: int) -> Iterator[Figure]:
    """Latencies of a claim of ten; the base is that of a run with a thousand ready tasks."""
    base = _base(small, times)
    raw = _raw(small, BASE, times)
    yield from _figures(small, f"{BASE:,} ready", base, None, raw)

    run = large.new_run()
    say(f"{large.database}: {rows:,} ready in one lane")
    large.backlog.add_ready(run.id, rows)
    large.backlog.settle_down()
    raw = _raw(large, rows, times)
    yield from _figures(large, f"{rows:,} ready", _claims(large, run, times), base, raw)
    yield from _pause(large, run, rows)

    lanes = rows // PER_LANE
    say(f"{large.database}: {PER_LANE} in each of {lanes:,} lanes")
    run = large.new_run()
    large.backlog.add_ready(run.id, lanes * PER_LANE, lanes=lanes)
    large.backlog.settle_down()
    name = f"{PER_LANE} in each of {lanes:,} lanes"
    yield from _figures(large, name, _claims(large, run, times), base)
    large.backlog.limit_lanes(run.id, 8)
    yield from _figures(large, f"{name}, 8 in flight", _claims(large, run, times), base)

    say(f"{large.database}: {rows:,} finished")
    run = large.new_run()
    large.backlog.add_completed(run.id, rows)
    large.backlog.settle_down()
    ended = _claims(large, run, times, refill=_refill(large, run))
    yield from _figures(large, f"{rows:,} finished, {BASE:,} ready", ended, base)


def _base(place: Place, times: int) -> Latency:
    say(f"{place.database}: {BASE:,} ready")
    run = place.new_run()
    return _claims(place, run, times, refill=_refill(place, run))


def _refill(place: Place, run: Run) -> Callable[[], None]:
    return lambda: place.backlog.add_ready(run.id, BASE // 2)


def _claims(
    place: Place, run: Run, times: int, refill: Callable[[], None] | None = None
) -> Latency:
    """Claims with a finish in between; a run that would be used up is kept between half and all
    of a thousand.
    """
    request = place.request(run, CLAIM)
    left = 0

    def top_up() -> None:
        nonlocal left
        while refill is not None and left <= BASE // 2:
            refill()
            left += BASE // 2

    def between(claimed: Claimed) -> None:
        nonlocal left
        assert len(claimed.leases) == CLAIM, f"a claim of {CLAIM} got {len(claimed.leases)}"
        left -= CLAIM
        place.store.queue.finish(completed(claimed.leases))
        top_up()

    top_up()
    return latency(lambda: place.store.queue.claim(request), between, times=times)


def _raw(place: Place, rows: int, times: int) -> Latency:
    place.raw.fill(max(rows, CLAIM * (times + 100)))
    return latency(lambda: place.raw.claim(CLAIM), place.raw.finish, times=times)


def _figures(
    place: Place, name: str, taken: Latency, base: Latency | None, raw: Latency | None = None
) -> Iterator[Figure]:
    """A raw latency stands on a line of its own: what is compared here is depth with depth."""
    compared = base.p50_ms if base else None
    p50 = Figure("claim of 10", place.database, f"{name}: p50", taken.p50_ms, "ms", compared)
    yield at_most(p50, ratio=DEPTH_BAR, value=CLAIM_BARS_MS[place.database])
    yield Figure("claim of 10", place.database, f"{name}: p99", taken.p99_ms, "ms")
    if raw is not None:
        text = f"{name}: p50 of hand-written SQL"
        yield Figure("claim of 10", place.database, text, raw.p50_ms, "ms")


def _pause(place: Place, run: Run, rows: int) -> Iterator[Figure]:
    begun = time.perf_counter()
    place.store.runs.pause(run.name)
    taken_ms = (time.perf_counter() - begun) * 1e3
    held = place.store.queue.claim(place.request(run, CLAIM)).leases
    assert not held, "a paused run gave out tasks"
    place.store.runs.unpause(run.name)
    pausing = Figure("pause", place.database, f"a run of {rows:,} tasks", taken_ms, "ms")
    yield at_most(pausing, value=PAUSE_BAR_MS)
