"""What holds a run back: found once, for `why`, `status` and the live view."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from swather.model.lane import Lane, PacedKind
from swather.model.pacing import NO_LIMITS
from swather.model.retry import ErrorClass
from swather.model.run import Run, RunState
from swather.runs import (
    breaker_words,
    code_words,
    lane_words,
    proxy_words,
    replay,
    transaction_words,
)
from swather.runs.partition_words import partition_reasons
from swather.runs.reason import Reason
from swather.runs.situation import MAX_LANES_SHOWN, Situation
from swather.runs.words import command, count, duration, shortened, time_ahead
from swather.runs.worker_line import WorkerLine
from swather.store import Store

MAX_WORKERS_NAMED: Final = 10


def reasons_of(situation: Situation) -> list[Reason]:
    """What holds the run back, what stops it first. Nothing of a run that is over."""
    if situation.run.state is not RunState.OPEN:
        return []
    found = list(_found(situation))
    return sorted(found, key=lambda reason: not reason.stops)


def _found(situation: Situation) -> Iterator[Reason]:
    yield from own_reasons(situation)
    yield from _loading(situation)
    if situation.counts.unfinished:
        yield from worker_reasons(situation)
        yield from _lane_reasons(situation)
        yield from pool_reasons(situation, {lane.lane for lane in situation.waiting.lanes})
        for breaker in situation.breakers:
            yield breaker_words.describe(breaker, url=situation.url, now=situation.now)
        yield from _standstill(situation)
        yield from _retries(situation)
        if situation.counts.waiting:
            yield from partition_reasons(situation)
        if situation.is_still:
            yield from lock_reasons(situation.store)
    elif situation.run.keep_open:
        yield Reason(
            code="kept_open",
            text="All its targets are done, and it is kept open for more.",
            change="To finish it",
            command=command("runs", "close", situation.run.name, url=situation.url),
        )


def own_reasons(situation: Situation) -> Iterator[Reason]:
    """What holds back all of the run."""
    run, url = situation.run, situation.url
    if run.paused and replay.is_half_done(run):
        yield Reason(
            code="run_replayed",
            text=_with_code(
                run, "The run is paused for a replay. If no replay is running, resume it."
            ),
            stops=True,
            change="To resume the replay",
            command=command("replay", run.name, *code_words.argument(run), url=url),
        )
    elif run.paused:
        yield Reason(
            code="run_paused",
            text="The run is paused.",
            stops=True,
            change="To resume it",
            command=command("unpause", run.name, url=url),
        )
    yield from lane_words.holds(situation.scraper, url=url, now=situation.now)


def pool_reasons(situation: Situation, sites: Collection[str]) -> Iterator[Reason]:
    if situation.pool is not None:
        yield from proxy_words.proxy_reasons(
            situation.pool, sites, situation.worker_ids, url=situation.url
        )


def _loading(situation: Situation) -> Iterator[Reason]:
    for producer in situation.producers:
        loaded = producer.statistics.get("loaded")
        so_far = f", {loaded:,} so far" if isinstance(loaded, int) else ""
        yield Reason(
            code="loading",
            text=f"Targets are still being loaded by {producer.name}{so_far}.",
            values={"producer": producer.name, "loaded": loaded},
        )


def lane_reasons(situation: Situation, lane: Lane) -> Iterator[Reason]:
    limits = situation.run.total_limits if lane.kind is PacedKind.LANE else NO_LIMITS
    yield from lane_words.holds(lane, url=situation.url, now=situation.now, run_limits=limits)


def _lane_reasons(situation: Situation) -> Iterator[Reason]:
    held = [found for lane in situation.lanes if (found := list(lane_reasons(situation, lane)))]
    for found in held[:MAX_LANES_SHOWN]:
        yield from found
    if len(held) > MAX_LANES_SHOWN:
        yield Reason(
            code="more_lanes",
            text=f"More than these {MAX_LANES_SHOWN} lanes are held back.",
            change="To see them",
            command=command("lanes", url=situation.url),
        )


def worker_reasons(situation: Situation) -> Iterator[Reason]:
    workers, able, url = situation.workers, situation.able, situation.url
    if not workers and situation.starts_workers:
        if not situation.had_workers:
            yield Reason(code="workers_starting", text="Workers are starting.", stops=True)
    elif not workers:
        yield no_worker(situation.run, url)
    else:
        yield from _paused(workers, url, all_of_them=not able)
        yield from _leaving(workers, all_of_them=not able)
    for worker in workers:
        # That it has no proxy is said once, for all of them.
        is_known = situation.is_out_of_proxies and worker.lacks_proxies
        yield from _troubles(worker, is_known=is_known)
    slots, busy = sum(w.slots for w in able), sum(w.busy for w in able)
    if slots and busy >= slots and situation.counts.waiting:
        yield Reason(
            code="slots_busy",
            text=f"All {slots} slots of {count(len(able), 'worker')} are busy.",
            values={"slots": slots, "busy": busy},
        )


def _paused(workers: Sequence[WorkerLine], url: str, *, all_of_them: bool) -> Iterator[Reason]:
    names = [worker.name for worker in workers if worker.paused and not worker.leaving]
    if not names:
        return
    all_paused = len(names) == len(workers)
    text = f"All workers are paused ({len(names)})."
    if not all_paused:
        text = f"Paused, of {count(len(workers), 'worker')}: {_listed(names)}."
    yield Reason(
        code="workers_paused" if all_paused else "some_workers_paused",
        text=text,
        stops=all_of_them,
        change="To resume them" if len(names) > 1 else "To resume it",
        command=command("workers", "unpause", *names[:MAX_WORKERS_NAMED], url=url),
        values={"workers": names},
    )


def _leaving(workers: Sequence[WorkerLine], *, all_of_them: bool) -> Iterator[Reason]:
    for mode in ("draining", "stopping"):
        names = [worker.name for worker in workers if worker.mode == mode]
        if names:
            ends = "when its targets have ended" if mode == "draining" else "now"
            yield Reason(
                code=f"workers_{mode}",
                text=f"Asked to exit {ends}, of {count(len(workers), 'worker')}: {_listed(names)}.",
                stops=all_of_them,
                values={"workers": names},
            )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MAX_WORKERS_NAMED])
    more = len(names) - MAX_WORKERS_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _troubles(worker: WorkerLine, *, is_known: bool) -> Iterator[Reason]:
    if worker.trouble and not is_known:
        yield Reason(
            code="worker_trouble",
            text=f"Worker {worker.name} is waiting: {worker.trouble}.",
            stops=True,
            values={"worker": worker.name, "trouble": worker.trouble},
        )
    if worker.is_silent:
        silent = duration(worker.silent_seconds)
        yield Reason(
            code="worker_silent",
            text=(
                f"Worker {worker.name} has not been heard from for {silent}. Other workers take "
                "over its tasks when its lease ends."
            ),
            stops=True,
            values={"worker": worker.name, "seconds": round(worker.silent_seconds, 1)},
        )


def no_worker(run: Run, url: str) -> Reason:
    start = command("worker", *code_words.argument(run), "--run", run.name, url=url)
    return Reason(
        code="no_worker",
        text="No worker is running.",
        stops=True,
        change=_with_code(run, "To start one"),
        command=start,
    )


def _standstill(situation: Situation) -> Iterator[Reason]:
    """Targets that execute, and have not ended for longer than usual."""
    if not situation.running or not situation.is_still or not (current := situation.current):
        return
    oldest = current[0]
    robots = [each for each in current if each.waits_for == "robots.txt"]
    if robots and len(robots) * 2 > len(current):
        yield Reason(
            code="waiting_for_robots",
            text=(
                f"{count(situation.running, 'target has', 'targets have')} been waiting for "
                f"robots.txt for {duration(robots[0].seconds)}; the first is "
                f"{shortened(robots[0].target)}."
            ),
            stops=True,
            change="To look at it",
            command=command("why", str(robots[0].task), url=situation.url),
            values={"running": situation.running, "seconds": round(robots[0].seconds, 1)},
        )
        return
    waits = f", waiting for {oldest.waits_for}" if oldest.waits_for else ""
    limit = "" if oldest.timeout is None else f" of its timeout of {duration(oldest.timeout)}"
    yield Reason(
        code="standstill",
        text=(
            f"No target has ended lately. {count(situation.running, 'target is', 'targets are')} "
            f"running. The oldest, {shortened(oldest.target)}, has run for "
            f"{duration(oldest.seconds)}{limit} on worker {oldest.worker}{waits}."
        ),
        brief=(
            f"Waiting for {count(situation.running, 'running target')}; the oldest has run for "
            f"{duration(oldest.seconds)}{limit}{waits}: {shortened(oldest.target)}"
        ),
        stops=True,
        change="To look at it",
        command=command("why", str(oldest.task), url=situation.url),
        values={
            "running": situation.running,
            "task": oldest.task,
            "target": oldest.target,
            "worker": oldest.worker,
            "seconds": round(oldest.seconds, 1),
            "timeout": oldest.timeout,
        },
    )


def _retries(situation: Situation) -> Iterator[Reason]:
    number, due = situation.counts.scheduled, situation.waiting.next_due_at
    if not number or due is None:
        return
    is_all = not situation.counts.ready and not situation.counts.leased
    times, run = situation.counts.postponed, situation.run.name
    said = f" The scraper has postponed targets {count(times, 'time')}." if times else ""
    listing = command("tasks", run, "--error-class", ErrorClass.LATER, url=situation.url)
    yield Reason(
        code="waiting_to_retry",
        text=(
            f"{count(number, 'task is', 'tasks are')} waiting to retry or for a due time, "
            f"the next at {time_ahead(due, situation.now)}.{said}"
        ),
        stops=is_all,
        change="To see those that it postponed" if times else "",
        command=listing if times else "",
        values={"tasks": number, "next_due_at": due, "postponed": times},
    )


def lock_reasons(store: Store) -> Iterator[Reason]:
    return transaction_words.holding_locks(store.upkeep.transactions())


def _with_code(run: Run, text: str) -> str:
    explained = code_words.explained(run)
    return f"{text} ({explained})" if explained else text
