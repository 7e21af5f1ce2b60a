"""What `pause` and `unpause` are about: runs, lanes, scrapers, workers."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from swather.errors import InputError, NotFound

if TYPE_CHECKING:
    from swather.store.ports import Store

RunNames = Annotated[
    list[str] | None,
    typer.Argument(metavar="RUN", help="The run's name, or a scraper's: its newest run."),
]
LaneNames = Annotated[
    list[str] | None,
    typer.Option("--lane", metavar="LANE", help="A lane: a host, say. May be repeated."),
]
ScraperNames = Annotated[
    list[str] | None,
    typer.Option(
        "--scraper", metavar="NAME", help="All that a scraper does, in any run. May be repeated."
    ),
]
WorkerNames = Annotated[
    list[str] | None,
    typer.Option(
        "--worker", metavar="NAME", help="A worker, by its name or number. May be repeated."
    ),
]


class Pausable(NamedTuple):
    """One thing, and the calls that hold it back and let it go on."""

    title: str
    pause: Callable[[], None]
    unpause: Callable[[], None]


def chosen(
    store: "Store",
    *,
    runs: list[str] | None,
    lanes: list[str] | None,
    scrapers: list[str] | None,
    workers: list[str] | None,
) -> list[Pausable]:
    """All that were named, found before any of them is changed."""
    if not any((runs, lanes, scrapers, workers)):
        raise InputError("name a run, or --lane, --scraper or --worker")
    return [
        *_runs(store, runs or []),
        *_lanes(store, lanes or [], "lane"),
        *_lanes(store, scrapers or [], "scraper"),
        *_workers(store, workers or []),
    ]


def _runs(store: "Store", names: list[str]) -> Iterator[Pausable]:
    from swather.cli.selection import run_named

    for name in names:
        run = run_named(store, name).name
        yield Pausable(
            f"run {run}",
            lambda run=run: store.runs.pause(run),  # type: ignore[misc]
            lambda run=run: store.runs.unpause(run),  # type: ignore[misc]
        )


def _lanes(store: "Store", names: list[str], kind_name: str) -> Iterator[Pausable]:
    from swather.model.lane import PacedKind
    from swather.model.task import check_name

    kind = PacedKind(kind_name)
    for name in names:
        if not check_name(kind_name, name):
            raise InputError(f"a {kind_name} needs a name")
        yield Pausable(
            f"{kind_name} {name}",
            lambda name=name: store.lanes.pause(name, kind),  # type: ignore[misc]
            lambda name=name: store.lanes.unpause(name, kind),  # type: ignore[misc]
        )


def _workers(store: "Store", names: list[str]) -> Iterator[Pausable]:
    live = store.workers.find()
    for name in names:
        found = [worker for worker in live if name in {worker.name, str(worker.id)}]
        if not found:
            known = ", ".join(worker.name for worker in live) or "none"
            raise NotFound(f"no worker {name!r} is at work; there are: {known}")
        for worker in found:
            yield Pausable(
                f"worker {worker.name}",
                lambda number=worker.id: store.workers.pause(number),  # type: ignore[misc]
                lambda number=worker.id: store.workers.unpause(number),  # type: ignore[misc]
            )
