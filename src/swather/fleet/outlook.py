"""The work that waits for a fleet, as an estimate needs it: what paces it, who owns it, and what
earlier workers have shown of it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from swather.model.estimate import Decides, Measured, Outlook, PacedWork
from swather.model.lane import Lane, PacedKind, free_lane
from swather.model.pacing import NO_LIMITS, Limits, strictest
from swather.model.run import Run
from swather.model.worker import Worker
from swather.runs.lane_words import on_lane
from swather.runs.pace import tasks_by_lane
from swather.runs.proxy_words import usable_on
from swather.runs.run_names import MAX_RUNS_SEEN
from swather.runs.situation import Situation
from swather.scraping.scraper import Scraper

# Fewer say little about the next ones.
ENOUGH_ATTEMPTS: Final = 5
MAX_WORKERS_SEEN: Final = 1_000


def outlook_of(
    situations: Sequence[Situation],
    scrapers: Mapping[str, Scraper],
    *,
    workers: int,
    slots: int,
    own: Sequence[int] = (),
    targets: int | None = None,
) -> Outlook:
    """What waits in these runs, none of which is paused. `own`: how many targets belong to each
    worker. With `targets`, only so many of them are done, taken evenly from all lanes.
    """
    waiting = sum(situation.counts.unfinished for situation in situations)
    share = 1.0 if targets is None or not waiting else targets / waiting
    paced = [work for situation in situations for work in _paced(situation)]
    due = [
        (situation.waiting.last_due_at - situation.now).total_seconds()
        for situation in situations
        if situation.waiting.last_due_at is not None
    ]
    return Outlook(
        targets=waiting if targets is None else targets,
        workers=workers,
        slots=slots,
        paced=tuple(_together(paced, share)),
        own=tuple(own),
        delay_seconds=_delay(situations, scrapers),
        retry_seconds=max(due, default=0.0),
        measured=measured_of(situations),
    )


def _paced(situation: Situation) -> Iterator[PacedWork]:
    """A run's lanes, and its scraper as a whole."""
    held = Decides.PROXIES if situation.is_out_of_proxies else None
    yield _work(situation, situation.scraper, situation.counts.unfinished, NO_LIMITS, held)
    broken = {breaker.lane for breaker in situation.breakers}
    limits = _limits_over_all_proxies(situation)
    # The run's own limits hold on lanes, too, that nothing else is known of.
    known = {lane.name: lane for lane in situation.lanes}
    for name, targets in tasks_by_lane(situation).items():
        if name:
            lane = known.get(name) or free_lane(name, PacedKind.LANE)
            held = Decides.BREAKER if name in broken else None
            yield _work(situation, lane, targets, on_lane(limits, name), held)


def _work(
    situation: Situation, lane: Lane, targets: float, of_run: Limits, held: Decides | None
) -> PacedWork:
    cooling = 0.0
    if lane.cool_until is not None:
        cooling = max((lane.cool_until - situation.now).total_seconds(), 0.0)
    return PacedWork(
        name=lane.name,
        kind=lane.kind,
        targets=targets,
        limits=lane.limits_for(of_run),
        cooling_seconds=cooling,
        held=Decides.PAUSED if lane.paused else held,
    )


def _limits_over_all_proxies(situation: Situation) -> Limits:
    """Before its workers have counted them, a run does not know how many proxies it has."""
    run, pool = situation.run, situation.pool
    if pool is None:
        return run.total_limits
    usable = usable_on(pool, "", situation.worker_ids).usable
    return msgspec.structs.replace(run, egresses=max(usable, 1)).total_limits


def _together(paced: Iterable[PacedWork], share: float) -> Iterator[PacedWork]:
    """What several runs have on one lane is paced as one, by the strictest of their limits."""
    found: dict[tuple[PacedKind, str], list[PacedWork]] = {}
    for work in paced:
        found.setdefault((work.kind, work.name), []).append(work)
    for each in found.values():
        yield msgspec.structs.replace(
            each[0],
            targets=sum(work.targets for work in each) * share,
            limits=strictest(*(work.limits for work in each)),
            held=next((work.held for work in each if work.held is not None), None),
        )


def _delay(situations: Sequence[Situation], scrapers: Mapping[str, Scraper]) -> float:
    """Between two targets of a slot, on average over all that wait."""
    waiting = sum(situation.counts.unfinished for situation in situations)
    total = 0.0
    for situation in situations:
        scraper = scrapers.get(situation.run.scraper)
        delay = None if scraper is None else scraper.options.delay_range()
        if delay is not None:
            total += sum(delay) / 2 * situation.counts.unfinished
    return total / waiting if waiting else 0.0


def measured_of(situations: Sequence[Situation]) -> Measured | None:
    """From the workers that have worked on these runs; while those have done little, from all that
    have worked on runs of the same scrapers. None while nothing is known.
    """
    if not situations:
        return None
    store = situations[0].store
    runs = [situation.run for situation in situations]
    rows = store.workers.find(live=False, limit=MAX_WORKERS_SEEN)
    found = _measured(rows, runs)
    if found is None:
        scrapers = {run.scraper for run in runs}
        seen = store.runs.find(limit=MAX_RUNS_SEEN)
        found = _measured(rows, [run for run in seen if run.scraper in scrapers])
    if found is None:
        return None
    ended = sum(each.counts.completed + each.counts.failed for each in situations)
    retries = sum(each.counts.retries for each in situations)
    per_target = 1 + retries / ended if ended else 1.0
    return msgspec.structs.replace(found, attempts_per_target=per_target)


def _measured(rows: Iterable[Worker], runs: Iterable[Run]) -> Measured | None:
    names = {run.name for run in runs}
    attempts, seconds, requests = 0, 0.0, 0.0
    for row in rows:
        said = row.statistics
        if not _worked_on(said, names):
            continue
        number, average = _number(said.get("attempts")), _number(said.get("average_seconds"))
        attempts += int(number)
        seconds += number * average
        requests += _number(said.get("requests"))
    if attempts < ENOUGH_ATTEMPTS:
        return None
    return Measured(attempts=attempts, seconds=seconds / attempts, requests=requests / attempts)


def _worked_on(said: Mapping[str, Any], names: set[str]) -> bool:
    """On these runs and, as far as can be told, on no others."""
    if isinstance(run := said.get("run"), str):
        return run in names
    recent = said.get("recent")
    return isinstance(recent, dict) and bool(recent) and set(recent) <= names


def _number(value: Any) -> float:
    """A database may hold anything."""
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_one and 0 <= value < 1e15 else 0.0
