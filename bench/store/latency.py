"""How long one call takes: a claim of ten at every depth, and pausing a long run."""

import time
from collections.abc import Iterator

from bench.store.measure import Timed, latencies_in_turns, say
from bench.store.raw import Raw
from bench.store.report import Figure, at_most
from bench.store.setups import Setup, completed
from swather.model.lease import Claimed
from swather.model.run import Run

CLAIM = 10
CLAIM_BARS_MS = {"sqlite": 1.0, "postgres": 2.0}
DEPTH_BAR = 1.5
BASE = 1_000
PER_LANE = 10
IN_FLIGHT = 8
PAUSE_BAR_MS = 10.0


class Claims:
    """Claims of ten, each finished before the next."""

    def __init__(self, setup: Setup, run: Run) -> None:
        self.setup = setup
        self.run = run
        self._request = setup.request(run, CLAIM)

    def call(self) -> Claimed:
        return self.setup.store.queue.claim(self._request)

    def after(self, claimed: Claimed) -> None:
        assert len(claimed.leases) == CLAIM, f"a claim of {CLAIM} got {len(claimed.leases)}"
        self.setup.store.queue.finish(completed(claimed.leases))


class ShallowClaims(Claims):
    """The same in a run that is kept at no more than a thousand ready tasks."""

    def __init__(self, setup: Setup, run: Run) -> None:
        super().__init__(setup, run)
        self._ready = 0
        self._top_up()

    def after(self, claimed: Claimed) -> None:
        super().after(claimed)
        self._ready -= CLAIM
        self._top_up()

    def _top_up(self) -> None:
        while self._ready <= BASE // 2:
            self.setup.backlog.add_ready(self.run.id, BASE // 2)
            self._ready += BASE // 2


class RawClaims:
    def __init__(self, raw: Raw, rows: int, times: int) -> None:
        self._raw = raw
        raw.fill(max(rows, CLAIM * (times + 100)))

    def call(self) -> list[int]:
        return self._raw.claim(CLAIM)

    def after(self, ids: list[int]) -> None:
        self._raw.finish(ids)


def claim(small: Setup, large: Setup, rows: int, times: int) -> Iterator[Figure]:
    """Latencies of a claim of ten. The base, a run with a thousand ready tasks in a database with
    nothing else, is measured again beside each.
    """
    say(f"{small.database}: {BASE:,} ready")
    base = ShallowClaims(small, small.new_run())
    yield from _measure(f"{BASE:,} ready", base, times, raw=RawClaims(small.raw, BASE, times))

    say(f"{large.database}: {rows:,} ready in one lane")
    run = large.new_run()
    large.backlog.add_ready(run.id, rows)
    large.backlog.settle_down()
    raw = RawClaims(large.raw, rows, times)
    yield from _measure(f"{rows:,} ready", Claims(large, run), times, base=base, raw=raw)
    yield _pause(large, run, rows)

    lanes = rows // PER_LANE
    name = f"{PER_LANE} in each of {lanes:,} lanes"
    say(f"{large.database}: {name}")
    run = large.new_run()
    large.backlog.add_ready(run.id, lanes * PER_LANE, lanes=lanes)
    large.backlog.settle_down()
    yield from _measure(name, Claims(large, run), times, base=base)
    large.backlog.limit_lanes(run.id, IN_FLIGHT)
    yield from _measure(f"{name}, {IN_FLIGHT} in flight", Claims(large, run), times, base=base)

    say(f"{large.database}: {rows:,} finished")
    run = large.new_run()
    large.backlog.add_completed(run.id, rows)
    large.backlog.settle_down()
    claims = ShallowClaims(large, run)
    yield from _measure(f"{rows:,} finished, {BASE:,} ready", claims, times, base=base)


def _measure(
    name: str, claims: Claims, times: int, *, base: Claims | None = None, raw: Timed | None = None
) -> Iterator[Figure]:
    """A raw latency stands on a line of its own: what is compared here is depth with depth."""
    contenders: dict[str, Timed | None] = {"ours": claims, "base": base, "raw": raw}
    present = {name: one for name, one in contenders.items() if one is not None}
    taken = latencies_in_turns(present, times=times)
    database = claims.setup.database
    compared = taken["base"].p50_ms if base else None
    p50 = Figure("claim of 10", database, f"{name}: p50", taken["ours"].p50_ms, "ms", compared)
    yield at_most(p50, ratio=DEPTH_BAR, value=CLAIM_BARS_MS[database])
    yield _plain(database, f"{name}: p99", taken["ours"].p99_ms)
    if raw is not None:
        yield _plain(database, f"{name}: p50 of hand-written SQL", taken["raw"].p50_ms)


def _plain(database: str, name: str, milliseconds: float) -> Figure:
    return Figure("claim of 10", database, name, milliseconds, "ms")


def _pause(setup: Setup, run: Run, rows: int) -> Figure:
    begun = time.perf_counter()
    setup.store.runs.pause(run.name)
    taken_ms = (time.perf_counter() - begun) * 1e3
    held = setup.store.queue.claim(setup.request(run, CLAIM)).leases
    assert not held, "a paused run gave out tasks"
    setup.store.runs.unpause(run.name)
    pausing = Figure("pause", setup.database, f"a run of {rows:,} tasks", taken_ms, "ms")
    return at_most(pausing, value=PAUSE_BAR_MS)
