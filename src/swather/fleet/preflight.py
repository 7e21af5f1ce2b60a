"""Before a fleet starts: what is wrong, who would do what, and how long it would take."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from swather.fleet.outlook import outlook_of
from swather.fleet.placement import Place
from swather.fleet.preflight_checks import (
    code_checks,
    machine_checks,
    plan_checks,
    way_out_checks,
)
from swather.model.assignment import Balanced, Plan, balanced
from swather.model.estimate import Estimate, estimate
from swather.model.run import Run, RunState
from swather.net.egress import WayOut
from swather.runs.health import Check, Health
from swather.runs.proxy_lists import pool_for, proxies_each
from swather.runs.proxy_words import usable_on
from swather.runs.situation import Situation
from swather.scraping.scraper import Scraper
from swather.settings import Settings
from swather.store import Store

MAX_RUNS: Final = 100
# With --test only these work, each on its own partitions.
TEST_WORKERS: Final = 2


class WorkerShare(msgspec.Struct, frozen=True, kw_only=True):
    """What one worker would do. `number` None: what any worker takes that has room."""

    number: int | None
    partitions: tuple[str, ...] = ()
    pending: int = 0
    proxies: int | None = None


class RunProgress(msgspec.Struct, frozen=True, kw_only=True):
    """A run that the fleet would work on."""

    run: str
    scraper: str
    done: int
    pending: int
    total: int
    paused: bool


class Preflight(msgspec.Struct, frozen=True, kw_only=True):
    """`workers` is how many would start; `shares_proxies`: none has proxies for itself."""

    checks: list[Check]
    workers: int
    shares: list[WorkerShare]
    shares_proxies: bool
    runs: list[RunProgress]
    estimate: Estimate

    @property
    def problems(self) -> list[Check]:
        """What must be put right first."""
        return [check for check in self.checks if check.health is Health.PROBLEM]


def check(
    store: Store,
    settings: Settings,
    scrapers: Mapping[str, Scraper],
    *,
    workers: int,
    plan: Plan | Balanced | None = None,
    place: Place = Place.LOCAL,
    run: str | None = None,
    is_test: bool = False,
) -> Preflight:
    """For a fleet with this code, on one run or on all that are open. Changes nothing."""
    runs = _runs(store, run)
    mine = [each for each in runs if each.scraper in scrapers]
    situations = [Situation.of(store, each) for each in mine]
    others = [
        each
        for each in runs
        if each.scraper not in scrapers and store.runs.counts(each.name).unfinished
    ]
    used = _used(scrapers, mine)
    dealt = _deal(store, situations, plan, workers)
    started = min(workers, TEST_WORKERS) if is_test else workers
    proxies, shares_proxies = _proxies(store, settings, used, started)
    checks = [
        *machine_checks(store, settings, place, workers=started),
        *code_checks(store, scrapers, mine, others),
        *way_out_checks(store, settings, used, workers=started),
        *plan_checks(dealt.names, dealt.plan, workers=workers, is_test=is_test),
        *(Check("run", Health.WARNING, f"{each.name} is paused") for each in mine if each.paused),
    ]
    shares = [
        *(
            WorkerShare(
                number=number,
                partitions=dealt.partitions(number),
                pending=dealt.pending(number),
                proxies=None if proxies is None else proxies[number],
            )
            for number in range(started)
        ),
        *dealt.rest(started, is_test=is_test),
    ]
    unpaused = [each for each in situations if not each.run.paused]
    outlook = outlook_of(
        unpaused,
        scrapers,
        workers=started,
        slots=settings.concurrency,
        own=[share.pending for share in shares if share.number is not None],
        targets=sum(share.pending for share in shares) if is_test else None,
    )
    return Preflight(
        checks=checks,
        workers=started,
        shares=shares,
        shares_proxies=shares_proxies,
        runs=[_progress(each) for each in situations],
        estimate=estimate(outlook),
    )


def _runs(store: Store, name: str | None) -> list[Run]:
    if name is not None:
        return [store.runs.get(name)]
    return store.runs.find(state=RunState.OPEN, limit=MAX_RUNS)


def _used(scrapers: Mapping[str, Scraper], runs: Sequence[Run]) -> list[Scraper]:
    """Those whose runs are open."""
    names = dict.fromkeys(run.scraper for run in runs)
    return [scrapers[name] for name in names]


def _progress(situation: Situation) -> RunProgress:
    run, counts = situation.run, situation.counts
    return RunProgress(
        run=run.name,
        scraper=run.scraper,
        done=counts.done,
        pending=counts.unfinished,
        total=counts.total,
        paused=run.paused,
    )


class _Dealt(msgspec.Struct, frozen=True, kw_only=True):
    """How the waiting targets are dealt out: those of partitions by the plan, the others to any
    worker.
    """

    plan: Plan | None
    waiting: dict[str, int]
    shared: int

    @property
    def names(self) -> list[str]:
        return sorted(self.waiting)

    def partitions(self, number: int) -> tuple[str, ...]:
        planned = () if self.plan is None else self.plan.of(number)
        return tuple(name for name in planned if name in self.waiting)

    def pending(self, number: int) -> int:
        return sum(self.waiting[name] for name in self.partitions(number))

    def rest(self, workers: int, *, is_test: bool) -> list[WorkerShare]:
        """What is planned for none of the workers that start; in a test it is left alone."""
        planned = {name for number in range(workers) for name in self.partitions(number)}
        names = () if is_test else tuple(name for name in self.names if name not in planned)
        pending = self.shared + sum(self.waiting[name] for name in names)
        return [WorkerShare(number=None, partitions=names, pending=pending)] if pending else []


def _deal(
    store: Store,
    situations: Sequence[Situation],
    plan: Plan | Balanced | None,
    workers: int,
) -> _Dealt:
    waiting: dict[str, int] = {}
    shared = 0
    kept: dict[str, int] = {}
    for situation in situations:
        counts = store.partitions.counts(situation.run.name)
        left = {name: each.waiting + each.running for name, each in counts.items()}
        for name, number in left.items():
            waiting[name] = waiting.get(name, 0) + number
        kept.update(store.partitions.planned(situation.run.name))
        shared += max(situation.counts.unfinished - sum(left.values()), 0)
    return _Dealt(plan=_planned(plan, waiting, kept, workers), waiting=waiting, shared=shared)


def _planned(
    plan: Plan | Balanced | None, waiting: Mapping[str, int], kept: Mapping[str, int], workers: int
) -> Plan | None:
    """The plan that the workers will follow: the one that is given, or made as they make it, or
    the one that earlier workers have left in the database.
    """
    known = {name: number for name, number in kept.items() if name in waiting}
    match plan:
        case Plan():
            return plan
        case Balanced() if waiting:
            return balanced(waiting, workers, known)
    numbers: dict[int, list[str]] = {}
    for name, number in sorted(known.items()):
        numbers.setdefault(number, []).append(name)
    return Plan({number: tuple(names) for number, names in numbers.items()}) if numbers else None


def _proxies(
    store: Store, settings: Settings, scrapers: Sequence[Scraper], workers: int
) -> tuple[list[int] | None, bool]:
    """How many proxies each worker could use, and whether it shares them; None if nobody uses any.
    Who comes first leases its own first.
    """
    found: list[int] | None = None
    shared = True
    for scraper in scrapers:
        if scraper.options.way_out is not WayOut.POOL:
            continue
        usable = usable_on(pool_for(store, scraper, settings), "", ()).usable
        each = proxies_each(scraper, settings)
        shared = shared and not each
        mine = [max(min(each, usable - each * n), 0) if each else usable for n in range(workers)]
        found = mine if found is None else [max(pair) for pair in zip(found, mine, strict=True)]
    return found, shared
