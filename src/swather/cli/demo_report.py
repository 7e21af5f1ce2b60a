"""The result of the demo, and whether it adds up with what the shop has."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from swather.cli import database, output
from swather.cli.demo_run import print_ending
from swather.model.run import RunState
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.runs.json_names import named
from swather.runs.summary import Summary, summarise
from swather.runs.words import duration

if TYPE_CHECKING:
    from swather.cli.demo_kill import Killed
    from swather.store.ports import Store
    from swather.testing.shop import Shop


@dataclass(frozen=True, kw_only=True)
class Report:
    """Counts of both sides.

    `items`: lines of the results file; `expected`: books that have a page; `doubled`, `missing`,
    `unknown`: how the lines differ from those books. `requests`: what the shop was asked.
    `given_back`: targets that the killed worker had; `finished_by_others`: those of them that
    have ended since. `wrong`: what the database's own check found.
    """

    summary: Summary
    seconds: float
    results: str
    pages: int
    expected: int
    items: int
    doubled: int
    missing: int
    unknown: int
    requests: int
    not_found: int
    killed_worker: str | None
    given_back: int
    finished_by_others: int
    wrong: list[str]

    @property
    def repeated(self) -> int:
        """Pages the killed worker had asked for already, asked for again by others."""
        return self.requests - self.summary.counts.total - self.summary.counts.retries

    @property
    def adds_up(self) -> bool:
        return not list(self.objections())

    def objections(self) -> Iterator[str]:
        """What does not add up, in words."""
        counts = self.summary.counts
        if self.summary.state is not RunState.FINISHED or counts.unfinished:
            yield f"{counts.unfinished:,} pages are unfinished"
        if counts.total != self.pages:
            yield f"the shop has {self.pages:,} pages, but {counts.total:,} were found"
        if counts.failed != self.not_found:
            yield f"{self.not_found} pages are missing in the shop, but {counts.failed} failed"
        if self.doubled or self.missing or self.unknown:
            yield (
                f"of the books, {self.missing} are missing, {self.doubled} came twice, "
                f"{self.unknown} are unknown"
            )
        if self.killed_worker is None:
            yield "no worker was killed"
        if self.finished_by_others != self.given_back:
            yield f"{self.given_back} targets were given back, {self.finished_by_others} finished"
        if not 0 <= self.repeated <= self.given_back:
            yield f"{self.repeated} requests too many"
        yield from self.wrong

    def as_dict(self) -> dict[str, Any]:
        data = named(self)
        summary = data.pop("summary")
        url = summary.pop("url")
        return {
            "database": database.shown(url),
            **summary,
            **data,
            "repeated": self.repeated,
            "adds_up": self.adds_up,
        }

    def print(self) -> None:
        url, run = self.summary.url, self.summary.run
        print()
        output.show(output.facts(self._facts()))
        print_ending(
            list(self.objections()),
            "Nothing was lost.",
            self.results,
            url,
            next_=(f"status {run}", f"errors {run}", f"export {run} -o books.csv"),
        )

    def _facts(self) -> Iterator[tuple[str, str]]:
        counts = self.summary.counts
        total, retries = f"{counts.total:,}", f"{counts.retries:,}"
        yield "pages", f"{total} = {counts.completed:,} completed + {counts.failed:,} failed"
        for group in self.summary.groups:
            yield "failed", f"{group.tasks:,} with {group.title!r}"
        yield "items", f"{self.items:,}; {self.expected:,} books have a page"
        yield "retried", f"{retries}, most of them after HTTP 500 and 429"
        others = f"{self.finished_by_others:,} of them finished by others"
        yield "given back", f"{self.given_back:,} targets of the killed worker; {others}"
        made_twice = f"{self.repeated:,} repeated after the kill"
        yield "requests", f"{self.requests:,} = {total} pages + {retries} retries + {made_twice}"
        yield "time", duration(self.seconds)


def report_on(
    store: "Store", run: str, site: "Shop", killed: "Killed | None", results: Path, seconds: float
) -> Report:
    """Compare the results file with the shop."""
    lines = results.read_bytes().splitlines()
    found = [msgspec.json.decode(line)["url"] for line in lines]
    distinct = set(found)
    expected = {site.url + book.path for book in site.books if book.path not in site.missing}
    given_back = killed.tasks if killed else ()
    return Report(
        summary=summarise(store, run),
        seconds=seconds,
        results=str(results),
        pages=site.pages,
        expected=len(expected),
        items=len(found),
        doubled=len(found) - len(distinct),
        missing=len(expected - distinct),
        unknown=len(distinct - expected),
        requests=site.requests.total() - site.requests["/robots.txt"],
        not_found=len(site.missing),
        killed_worker=killed.worker if killed else None,
        given_back=len(given_back),
        finished_by_others=_ended(store, run, given_back),
        wrong=store.upkeep.check(),
    )


def _ended(store: "Store", run: str, tasks: tuple[int, ...]) -> int:
    if not tasks:
        return 0
    ended = frozenset({State.COMPLETED, State.FAILED})
    return store.tasks.count(TaskFilter(run=run, states=ended, task_ids=tasks))
