"""`swather pause` and `swather unpause`: runs, lanes, scrapers and workers."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from swather.cli.arguments import DryRun
from swather.cli.group import command_in, several_commands
from swather.cli.options import AsJSON, Database
from swather.errors import InputError, NotFound

if TYPE_CHECKING:
    from swather.model.lane import PacedKind
    from swather.store.ports import Store

RunNames = Annotated[
    list[str] | None,
    typer.Argument(metavar="RUN", help="A run by name, or a scraper: its newest run."),
]
LaneNames = Annotated[
    list[str] | None,
    typer.Option("--lane", metavar="LANE", help="A lane, such as a host. Repeatable."),
]
ScraperNames = Annotated[
    list[str] | None,
    typer.Option(
        "--scraper", metavar="NAME", help="Everything a scraper does, in any run. Repeatable."
    ),
]
WorkerNames = Annotated[
    list[str] | None,
    typer.Option("--worker", metavar="NAME", help="A worker, by name or number. Repeatable."),
]

Create = Annotated[
    bool,
    typer.Option("--create", help="Also pause a lane or scraper that nothing has used yet."),
]

Verb = Literal["pause", "unpause"]

commands = several_commands()


class Pausable(NamedTuple):
    """One thing, and the calls that pause and resume it."""

    kind: str
    name: str
    pause: Callable[[], None]
    unpause: Callable[[], None]


@command_in(
    commands,
    "pause",
    """\
swather pause 20260215_120000-books
swather pause --lane example.com
swather pause --worker host_4711_2 --dry-run""",
)
def pause(
    run: RunNames = None,
    lane: LaneNames = None,
    scraper: ScraperNames = None,
    worker: WorkerNames = None,
    create: Create = False,
    dry_run: DryRun = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Pause a run, a lane, a scraper or a worker.

    Nothing new is started there until it is unpaused; running targets finish. Workers notice within
    a second.
    """
    named = {"runs": run, "lanes": lane, "scrapers": scraper, "workers": worker}
    change("pause", named, db, create=create, dry_run=dry_run, as_json=as_json)


@command_in(
    commands,
    "unpause",
    """\
swather unpause 20260215_120000-books
swather unpause --lane example.com
swather unpause --worker host_4711_2 --dry-run""",
)
def unpause(
    run: RunNames = None,
    lane: LaneNames = None,
    scraper: ScraperNames = None,
    worker: WorkerNames = None,
    dry_run: DryRun = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Resume what was paused, or is cooling down.

    Also ends a cool-down after a site has refused us, and closes open circuit breakers of a lane or
    a scraper.
    """
    named = {"runs": run, "lanes": lane, "scrapers": scraper, "workers": worker}
    change("unpause", named, db, create=True, dry_run=dry_run, as_json=as_json)


def change(
    verb: Verb,
    named: Mapping[str, list[str] | None],
    db: str | None,
    *,
    create: bool = False,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Do it at once, everywhere, and say so."""
    from swather.cli import database, output

    with database.opened(db) as store:
        things = chosen(store, **named, create=create)
        if not dry_run:
            for thing in things:
                getattr(thing, verb)()
            store.hints.send()
    if as_json:
        done = [{thing.kind: thing.name} for thing in things]
        output.print_json({f"{verb}d": done, "dry_run": dry_run})
        return
    for thing in things:
        print(f"{thing.kind} {thing.name} {'would be' if dry_run else 'is'} {verb}d")


def chosen(
    store: "Store",
    *,
    runs: list[str] | None = None,
    lanes: list[str] | None = None,
    scrapers: list[str] | None = None,
    workers: list[str] | None = None,
    create: bool = False,
) -> list[Pausable]:
    """All that were named, found before any of them is changed."""
    if not any((runs, lanes, scrapers, workers)):
        raise InputError("name a run, or --lane, --scraper or --worker")
    return [
        *_runs(store, runs or []),
        *_lanes(store, lanes or [], "lane", create=create),
        *_lanes(store, scrapers or [], "scraper", create=create),
        *_workers(store, workers or []),
    ]


def _runs(store: "Store", names: list[str]) -> Iterator[Pausable]:
    from swather.cli.selection import run_named

    for name in names:
        run = run_named(store, name).name
        yield Pausable(
            "run",
            run,
            partial(store.runs.pause, run),
            partial(store.runs.unpause, run),
        )


def _lanes(store: "Store", names: list[str], kind_name: str, *, create: bool) -> Iterator[Pausable]:
    from swather.cli.selection import lane_names, unknown_lanes
    from swather.model.lane import PacedKind

    kind = PacedKind(kind_name)
    scrapers = kind is PacedKind.SCRAPER
    found = lane_names(names, scrapers=scrapers)
    if not create:
        for said in unknown_lanes(store, found, scrapers=scrapers):
            raise NotFound(f"{said}; to pause it before its first target, pass --create")
    for name in found:
        yield Pausable(
            kind_name,
            name,
            partial(store.lanes.pause, name, kind),
            partial(_resume, store, name, kind),
        )


def _resume(store: "Store", name: str, kind: "PacedKind") -> None:
    from swather.model.lane import PacedKind

    store.lanes.unpause(name, kind)
    which = {"lane": name} if kind is PacedKind.LANE else {"scraper": name}
    for breaker in store.breakers.find(**which):
        store.breakers.close(breaker.scraper, breaker.lane)


def _workers(store: "Store", names: list[str]) -> Iterator[Pausable]:
    live = store.workers.find()
    for name in names:
        found = [worker for worker in live if name in {worker.name, str(worker.id)}]
        if not found:
            known = ", ".join(worker.name for worker in live) or "none"
            raise NotFound(f"no worker {name!r} is running; there are: {known}")
        for worker in found:
            yield Pausable(
                "worker",
                worker.name,
                partial(store.workers.pause, worker.id),
                partial(store.workers.unpause, worker.id),
            )
