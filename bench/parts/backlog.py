"""How long a claim of 10 takes by how many tasks wait, in one lane and over very many lanes."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from bench.driver import ask
from bench.environment import PEERS
from bench.figures import Figure, Kind
from bench.setting import Setting, say
from bench.store.latency import CLAIM, Claims, ShallowClaims
from bench.store.measure import Latency, Timed, latencies_in_turns
from bench.store.raw import Raw
from bench.store.setups import Setup, postgres_setup, sqlite_setup
from swather.model.lease import Claimed
from swather.model.run import Run

PER_LANE = 10
FILL_UP = 500
SPARE = 10_000
BASE = "a queue of 1,000 beside it"
OpenSetup = AbstractContextManager[Setup]


def measure(setting: Setting) -> list[Figure]:
    depths = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
    depths = depths[: setting.pick(2, 4, 5)]
    figures: list[Figure] = []
    openers: dict[str, Callable[[], OpenSetup]] = {
        "SQLite": sqlite_setup,
        "PostgreSQL": lambda: postgres_setup(setting.postgres),
    }
    for name, opener in openers.items():
        if setting.wants(f"Swather, {name}"):
            with opener() as small, opener() as large:
                figures += _store(setting, name, small, large, depths)
    if setting.wants("PgQueuer"):
        deepest = setting.pick(10_000, 100_000, 1_000_000)
        figures += _pgqueuer(setting, [depth for depth in depths if depth <= deepest])
    return figures


def _store(
    setting: Setting, name: str, small: Setup, large: Setup, depths: list[int]
) -> Iterator[Figure]:
    ours, raw = f"Swather, {name}", f"raw SQL, {name}"
    base = ShallowClaims(small, small.new_run())
    run = large.new_run()
    there = 0
    for depth in depths:
        say(f"  {name}: {depth:,} ready")
        large.backlog.add_ready(run.id, depth - there)
        large.raw.fill(depth - there)
        large.backlog.settle_down()
        there = depth
        deep = DeepClaims(large, run)
        taken = _in_turns(setting, {"ours": deep, "base": base, "raw": RawClaims(large.raw)})
        work = f"claim of {CLAIM}, {depth:,} ready"
        yield from _figures(work, ours, "ours", taken["ours"])
        yield from _figures(work, raw, "limit", taken["raw"])
        yield from _figures(f"{work}: {BASE}", ours, "ours", taken["base"], only_p50=True)
    lanes = max(depths[-1] // PER_LANE, SPARE)
    say(f"  {name}: {PER_LANE} in each of {lanes:,} lanes")
    run = large.new_run()
    large.backlog.add_ready(run.id, lanes * PER_LANE, lanes=lanes)
    large.backlog.settle_down()
    taken = _in_turns(setting, {"ours": Claims(large, run), "base": base})
    work = f"claim of {CLAIM}, {lanes:,} lanes of {PER_LANE}"
    yield from _figures(work, ours, "ours", taken["ours"])
    yield from _figures(f"{work}: {BASE}", ours, "ours", taken["base"], only_p50=True)


class DeepClaims(Claims):
    """Claims of ten from a queue that is filled up again, off the clock."""

    def __init__(self, setup: Setup, run: Run) -> None:
        super().__init__(setup, run)
        self._taken = 0

    def after(self, claimed: Claimed) -> None:
        super().after(claimed)
        self._taken += CLAIM
        if self._taken >= FILL_UP:
            self.setup.backlog.add_ready(self.run.id, self._taken)
            self._taken = 0


class RawClaims:
    """The same in hand-written SQL."""

    def __init__(self, raw: Raw) -> None:
        self._raw = raw
        # As many again as all rounds take: how many there are makes no difference to it.
        raw.fill(SPARE)

    def call(self) -> list[int]:
        return self._raw.claim(CLAIM)

    def after(self, ids: list[int]) -> None:
        self._raw.finish(ids)


def _in_turns(setting: Setting, timed: dict[str, Timed]) -> dict[str, list[Latency]]:
    """Latencies of each, as many times as there are repeats."""
    times = setting.pick(30, 100, 300)
    taken: dict[str, list[Latency]] = {name: [] for name in timed}
    for _ in range(setting.repeats):
        for name, latency in latencies_in_turns(timed, times=times, warm_up=20).items():
            taken[name].append(latency)
    return taken


def _figures(
    work: str, who: str, kind: Kind, taken: list[Latency], *, only_p50: bool = False
) -> Iterator[Figure]:
    yield Figure(work, who, kind, "ms", tuple(one.p50_ms for one in taken))
    if not only_p50:
        yield Figure(f"{work}, p99", who, kind, "ms", tuple(one.p99_ms for one in taken))


def _pgqueuer(setting: Setting, depths: list[int]) -> Iterator[Figure]:
    times = setting.pick(30, 100, 300)
    with setting.postgres.fresh_database() as url:
        module = "bench.peers.pgqueuer"
        ask(PEERS, module, "prepare", url=url)
        for depth in depths:
            say(f"  PgQueuer: {depth:,} ready")
            given = {"depth": depth, "times": times, "rounds": setting.repeats}
            answer = ask(PEERS, module, "claims", url=url, **given)
            taken = [Latency(*one) for one in answer["latencies"]]
            who = "PgQueuer, PostgreSQL"
            yield from _figures(f"claim of {CLAIM}, {depth:,} ready", who, "peer", taken)
