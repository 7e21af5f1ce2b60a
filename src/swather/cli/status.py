"""`swather status`: how runs and workers stand."""

import time
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.options import AsJSON, Database

if TYPE_CHECKING:
    from swather.runs.progress import Snapshot
    from swather.store.ports import Store

EXAMPLES: Final = """\
swather status
swather status books --watch
swather status 20260215_120000-books --json | jq .counts"""

LOOK_SECONDS: Final = 0.5
RECENT: Final = 10


def command(
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN", help="The run's name, or a scraper's: its newest run. Else all."
        ),
    ] = None,
    watch: Annotated[
        bool, typer.Option("-w", "--watch", help="Show how it goes on, until it is over.")
    ] = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Show how runs and workers stand.

    Of one run: its counts, rate, estimate, errors and workers. Without a name: the newest runs,
    and the workers of this database; with --watch the newest run. Connections that have held locks
    for long are named, too.
    """
    from swather.cli import database

    with database.opened(db) as store:
        if watch:
            _watch(store, run, as_json=as_json)
        elif run is None:
            _overview(store, as_json=as_json)
        else:
            _one(store, run, as_json=as_json)


def _one(store: "Store", run: str, *, as_json: bool) -> None:
    from swather.cli import output
    from swather.cli.selection import run_named
    from swather.runs.progress import Watcher
    from swather.runs.words import rate

    found = run_named(store, run)
    snapshot = Watcher(store, found.name).snapshot()
    held_up = _held_up(store)
    if as_json:
        output.print_json({**_data(snapshot), "held_up": held_up})
        return
    counts = snapshot.counts
    pace = snapshot.rate_per_second
    facts: list[tuple[str, Any]] = [
        ("run", snapshot.run),
        ("scraper", snapshot.scraper),
        ("state", _state(snapshot)),
        ("done", f"{counts.done:,} of {counts.total:,}"),
    ]
    if not snapshot.is_over:
        facts += [
            ("rate", None if not pace else rate(pace)),
            ("estimate", snapshot.estimated_completion),
        ]
    success = snapshot.success_rate
    facts += [
        ("success", None if success is None else f"{success:.1%}"),
        ("ready", counts.ready),
        ("waiting", counts.scheduled),
        ("running", counts.leased),
        ("completed", counts.completed),
        ("failed", counts.failed),
        ("cancelled", counts.cancelled),
        ("items", counts.items),
        ("files", counts.files),
        ("retries", counts.retries),
    ]
    errors = ", ".join(f"{name} {number:,}" for name, number in snapshot.errors.items())
    output.show(output.facts([*facts, ("errors", errors or None)]), *_workers(snapshot))
    for sentence in held_up:
        print(sentence)


def _held_up(store: "Store") -> list[str]:
    """What other programs do in the database that holds up all runs."""
    from swather.runs.transaction_words import holding_locks

    return list(holding_locks(store.upkeep.transactions()))


def _workers(snapshot: "Snapshot") -> list[Any]:
    from swather.cli import output

    if not snapshot.workers:
        return []
    rows = [
        (
            worker.name,
            "paused" if worker.paused else "at work",
            worker.leases,
            worker.completed,
            worker.failed,
            worker.retried,
            worker.average_seconds,
        )
        for worker in snapshot.workers
    ]
    headers = ("worker", "state", "running", "completed", "failed", "retried", "seconds each")
    return [output.listing(headers, rows)]


def _state(snapshot: "Snapshot") -> str:
    more = [
        word
        for word, holds in (
            ("paused", snapshot.paused),
            ("loading", snapshot.loading),
            ("not all targets loaded", snapshot.load_incomplete and not snapshot.loading),
        )
        if holds
    ]
    return ", ".join([str(snapshot.state), *more])


def _overview(store: "Store", *, as_json: bool) -> None:
    from swather.cli import output
    from swather.model.worker import WorkerKind

    runs = [
        {
            "run": run.name,
            "state": "paused" if run.paused and run.state == "open" else str(run.state),
            "done": counts.done,
            "of": counts.total,
            "running": counts.leased,
            "failed": counts.failed,
            "items": counts.items,
        }
        for run in store.runs.find(limit=RECENT)
        for counts in [store.runs.counts(run.name)]
    ]
    workers = [
        {
            "worker": worker.name,
            "number": str(worker.id),
            "state": "paused" if worker.paused else "at work",
            "running": worker.leases,
            "code": worker.version,
        }
        for worker in store.workers.find()
        if worker.kind is WorkerKind.WORKER
    ]
    held_up = _held_up(store)
    if as_json:
        output.print_json({"runs": runs, "workers": workers, "held_up": held_up})
        return
    tables = [
        output.listing(tuple(rows[0]), [tuple(row.values()) for row in rows])
        for rows in (runs, workers)
        if rows
    ]
    output.show(*tables)
    if not runs:
        print("no runs")
    if not workers:
        print("no worker is at work")
    for sentence in held_up:
        print(sentence)


def _watch(store: "Store", run: str | None, *, as_json: bool) -> None:
    from swather.cli import output
    from swather.cli.selection import run_named
    from swather.runs.progress import Watcher
    from swather.runs.view import Silent, view_on

    watcher = Watcher(store, run_named(store, run).name)
    with Silent() if as_json else view_on(output.stderr()) as view:
        while True:
            snapshot = watcher.snapshot()
            if as_json:
                output.print_json(_data(snapshot), indent=None)
            view.show(snapshot)
            if snapshot.is_over:
                return
            time.sleep(LOOK_SECONDS)


def _data(snapshot: "Snapshot") -> dict[str, Any]:
    import msgspec

    return {
        **msgspec.to_builtins(snapshot),
        "rate_per_hour": snapshot.rate_per_hour,
        "success_rate": snapshot.success_rate,
        "estimated_completion": snapshot.estimated_completion,
    }
