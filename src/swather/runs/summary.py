"""The summary of a run: totals that add up, and how to retry what failed."""

from collections.abc import Iterator
from typing import Final

import msgspec

from swather.model.rejection import top_reasons
from swather.model.results import ErrorGroup
from swather.model.run import Counts, Run, RunState
from swather.model.source import SourceStats
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.runs.reason import Reason
from swather.runs.reasons import reasons_of
from swather.runs.situation import Situation
from swather.runs.source_lines import lines_of
from swather.runs.words import command, count, duration, rate
from swather.store import Store

MAX_GROUPS: Final = 20
MAX_EXAMPLE_CHARACTERS: Final = 200


class FailedGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks that failed alike, and the command that makes them ready again."""

    fingerprint: str
    error_class: str
    title: str
    where: str
    message: str
    tasks: int
    sample_task_id: int
    retry: str


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a run. `seconds`: how long it took, if known; `groups`: how most of its failed
    tasks failed; `incomplete_loads`: sources that were not loaded completely; `reasons`: what
    stopped it before it was finished; `sources`: how the sources that its scraper notes answered.
    """

    run: str
    state: RunState
    incomplete_loads: list[str]
    counts: Counts
    seconds: float | None
    groups: list[FailedGroup]
    url: str
    reasons: list[Reason] = []
    sources: list[SourceStats] = []

    @property
    def load_incomplete(self) -> bool:
        return bool(self.incomplete_loads)

    @property
    def rate_per_second(self) -> float | None:
        return self.counts.done / self.seconds if self.seconds else None

    def lines(self) -> list[str]:
        return list(self._lines())

    def _lines(self) -> Iterator[str]:
        counts = self.counts
        after = "" if self.seconds is None else f" after {duration(self.seconds)}"
        yield f"Run {self.run} {_STATES[self.state]}{after}."
        parts = [f"{counts.completed:,} completed", f"{counts.failed:,} failed"]
        if counts.cancelled:
            parts.append(f"{counts.cancelled:,} cancelled")
        if counts.unfinished:
            parts.append(f"{counts.unfinished:,} unfinished")
        yield f"{count(counts.total, 'task')}: {', '.join(parts)}."
        if counts.skipped:
            yield f"{count(counts.skipped, 'target')} skipped by the scraper."
        yield self._produced()
        if rejected := counts.rejected:
            said = ", ".join(f"{n:,} {reason}" for reason, n in top_reasons(rejected))
            yield f"{count(sum(rejected.values()), 'row')} rejected: {said}."
        yield from lines_of(self.sources)
        if counts.outdated:
            yield from self._outdated()
        if counts.over_limit:
            yield "The run's limit was reached; further targets were left out."
        if self.load_incomplete and self.state is not RunState.CANCELLED:
            partial = ", ".join(self.incomplete_loads)
            yield f"Not all targets were loaded from {partial}: run that command again."
        for reason in self.reasons:
            yield from reason.lines()
        yield from self._failures()

    def _produced(self) -> str:
        counts = self.counts
        results = [count(counts.items, "item")]
        if counts.files:
            results.append(count(counts.files, "file"))
        if counts.duplicates:
            results.append(count(counts.duplicates, "duplicate"))
        if counts.dropped:
            results.append(f"{counts.dropped:,} dropped by hooks")
        if counts.retries:
            results.append(count(counts.retries, "retry", "retries"))
        pace = self.rate_per_second
        return ", ".join(results) + (f", {rate(pace)}." if pace else ".")

    def _outdated(self) -> Iterator[str]:
        number = self.counts.outdated
        were = "was" if number == 1 else "were"
        yield (
            f"{count(number, 'outdated item')} {were} left out of the results, because a target "
            "failed when it was tried again:"
        )
        yield f"    {command('export', self.run, '--outdated', '-o', '-', url=self.url)}"

    def _failures(self) -> Iterator[str]:
        listed = 0
        for group in self.groups:
            listed += group.tasks
            where = f" at {group.where}" if group.where else ""
            yield f"{group.tasks:,} failed ({group.error_class}): {group.title}{where}"
            if (message := group.message.strip().partition("\n")[0]) != group.title:
                yield f"    e.g. {message[:MAX_EXAMPLE_CHARACTERS]}"
            yield f"    {group.retry}"
        if rest := self.counts.failed - listed:
            yield f"{rest:,} failed in other ways"
            yield f"    {command('errors', self.run, url=self.url)}"


_STATES: Final = {
    RunState.OPEN: "is not finished",
    RunState.FINISHED: "finished",
    RunState.CANCELLED: "was cancelled",
}


def summarise(store: Store, run: str, *, seconds: float | None = None) -> Summary:
    """Sum up a run; `seconds` is how long it took here, by default its whole life."""
    found = store.runs.get(run)
    counts = store.runs.counts(run)
    if seconds is None and found.finished_at is not None:
        seconds = (found.finished_at - found.created_at).total_seconds()
        if seconds < 0:
            # The clock was set back during the run, and it is unknown by how much.
            seconds = None
    return Summary(
        run=run,
        state=found.state,
        incomplete_loads=store.loads.incomplete(run),
        counts=counts,
        seconds=seconds,
        groups=failed_groups(store, run, counts.failed),
        url=store.url,
        reasons=_stopped_by(store, found, counts),
        sources=store.sources.of_run(run),
    )


def _stopped_by(store: Store, run: Run, counts: Counts) -> list[Reason]:
    """What holds back a run whose workers have ended, apart from that."""
    if run.state is not RunState.OPEN or not counts.unfinished:
        return []
    reasons = reasons_of(Situation(store, run, counts))
    return [reason for reason in reasons if reason.stops and reason.code != "no_worker"]


def failed_groups(store: Store, run: str, failed: int) -> list[FailedGroup]:
    """Groups by how many of their tasks failed for good, until they account for all `failed`."""
    groups: list[FailedGroup] = []
    left = failed
    for group in store.results.errors(run, limit=MAX_GROUPS) if failed else ():
        if left <= 0:
            break
        which = TaskFilter(run=run, states=frozenset({State.FAILED}), fingerprint=group.fingerprint)
        if tasks := store.tasks.count(which):
            groups.append(_failed_group(store, group, tasks))
        left -= tasks
    return sorted(groups, key=lambda group: -group.tasks)


def _failed_group(store: Store, group: ErrorGroup, tasks: int) -> FailedGroup:
    example = store.results.error_example(group)
    return FailedGroup(
        fingerprint=group.fingerprint,
        error_class=group.error_class,
        title=group.title,
        where=group.where,
        tasks=tasks,
        message=example.message,
        sample_task_id=example.task_id,
        retry=command("retry", group.run, "--group", group.fingerprint, url=store.url),
    )
