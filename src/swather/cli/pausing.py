"""`swather pause` and `swather unpause`: runs, lanes, scrapers and workers."""

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

import typer

from swather.cli.arguments import DryRun
from swather.cli.group import command_in, several_commands
from swather.cli.options import AsJSON, Database, Server
from swather.errors import InputError, NotFound

if TYPE_CHECKING:
    from swather.api.client import Client
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
Named = tuple[str, str]
_NAME_ONE: Final = "name a run, or --lane, --scraper or --worker"

commands = several_commands()


class Pausable(NamedTuple):
    """One thing, and the calls that pause and resume it."""

    kind: str
    name: str
    pause: Callable[[], object]
    unpause: Callable[[], object]


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
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Pause a run, a lane, a scraper or a worker.

    Nothing new is started there until it is unpaused; running targets finish. Workers notice within
    a second.
    """
    named = {"runs": run, "lanes": lane, "scrapers": scraper, "workers": worker}
    change("pause", named, db, server, create=create, dry_run=dry_run, as_json=as_json)


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
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Resume what was paused, or is cooling down.

    Also ends a cool-down after a site has refused us, and closes open circuit breakers of a lane or
    a scraper.
    """
    named = {"runs": run, "lanes": lane, "scrapers": scraper, "workers": worker}
    change("unpause", named, db, server, create=True, dry_run=dry_run, as_json=as_json)


def change(
    verb: Verb,
    named: Mapping[str, list[str] | None],
    db: str | None,
    server: str | None = None,
    *,
    create: bool = False,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Do it at once, everywhere, and say so."""
    from swather.cli import database
    from swather.runs.attempts import attempt

    if server is not None:
        _change_there(verb, named, server, dry_run=dry_run, as_json=as_json)
        return
    with database.opened(db) as store:
        things = chosen(store, **named, create=create)
        if dry_run:
            _report(
                verb, [(thing.kind, thing.name) for thing in things], as_json=as_json, dry_run=True
            )
            return
        attempts = attempt(partial(_changed, thing, verb) for thing in things)
        store.hints.send()
    _report(verb, attempts.done, as_json=as_json)
    attempts.check()


def _changed(thing: Pausable, verb: Verb) -> Named:
    getattr(thing, verb)()
    return thing.kind, thing.name


def _change_there(
    verb: Verb,
    named: Mapping[str, list[str] | None],
    server: str,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    from swather.cli.remote import client_of
    from swather.runs.attempts import attempt

    client = client_of(server)
    if not any(named.values()):
        raise InputError(_NAME_ONE)
    if dry_run:
        raise InputError("--dry-run looks into a database: leave --server out")
    changes = {
        "runs": _run_there,
        "lanes": _lane_there,
        "scrapers": _scraper_there,
        "workers": _workers_there,
    }
    attempts = attempt(
        partial(change, client, verb, name)
        for nouns, change in changes.items()
        for name in named.get(nouns) or ()
    )
    _report(verb, [one for each in attempts.done for one in each], as_json=as_json)
    attempts.check()


def _run_there(client: "Client", verb: Verb, name: str) -> list[Named]:
    return [("run", getattr(client.runs, verb)(name)["run"])]


def _lane_there(client: "Client", verb: Verb, name: str, kind: str = "lane") -> list[Named]:
    from swather.cli.remote import notes_of

    changed = getattr(client.lanes, verb)(name, kind=kind)
    for note in notes_of(changed["notes"], client.url):
        print(note, file=sys.stderr)
    return [(kind, changed[kind])]


def _scraper_there(client: "Client", verb: Verb, name: str) -> list[Named]:
    return _lane_there(client, verb, name, "scraper")


def _workers_there(client: "Client", verb: Verb, name: str) -> list[Named]:
    return [("worker", each) for each in client.workers.change(name, verb)["workers"]]


def _report(verb: Verb, done: list[Named], *, as_json: bool, dry_run: bool = False) -> None:
    from swather.cli import output

    if as_json:
        output.print_json({f"{verb}d": [dict([one]) for one in done], "dry_run": dry_run})
        return
    for kind, name in done:
        print(f"{kind} {name} {'would be' if dry_run else 'is'} {verb}d")


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
        raise InputError(_NAME_ONE)
    return [
        *_runs(store, runs or []),
        *_lanes(store, lanes or [], "lane", create=create),
        *_lanes(store, scrapers or [], "scraper", create=create),
        *_workers(store, workers or []),
    ]


def _runs(store: "Store", names: list[str]) -> Iterator[Pausable]:
    from swather.runs.selection import run_named

    for name in names:
        run = run_named(store, name).name
        yield Pausable(
            "run",
            run,
            partial(store.runs.pause, run),
            partial(store.runs.unpause, run),
        )


def _lanes(store: "Store", names: list[str], kind_name: str, *, create: bool) -> Iterator[Pausable]:
    from swather.model.lane import PacedKind
    from swather.runs.lane_changes import resume_lane
    from swather.runs.selection import lane_names, unknown_lanes

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
            partial(resume_lane, store, name, kind),
        )


def _workers(store: "Store", names: list[str]) -> Iterator[Pausable]:
    from swather.runs.worker_changes import change_worker
    from swather.runs.worker_facts import workers_named

    for name in names:
        for worker in workers_named(store, name):
            yield Pausable(
                "worker",
                worker.name,
                partial(change_worker, store, worker, "pause"),
                partial(change_worker, store, worker, "unpause"),
            )
