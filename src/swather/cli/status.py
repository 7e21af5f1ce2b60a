"""`swather status`: the progress of runs and workers."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.options import AsJSON, Database
from swather.visible import visible_line

if TYPE_CHECKING:
    from swather.runs.progress import Snapshot, Watcher
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
            metavar="RUN", help="A run by name, or a scraper: its newest run. Default: all."
        ),
    ] = None,
    watch: Annotated[
        bool, typer.Option("-w", "--watch", help="Keep showing it until the run is over.")
    ] = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Show the progress of runs and workers.

    For one run: counts, recent rate, estimate, what holds it back, the oldest running target,
    errors and workers. Without a name: the newest runs, what stops them, and the workers of this
    database; with --watch, the newest run.
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
    from swather.runs.reasons import lock_reasons
    from swather.runs.source_lines import lines_of

    snapshot = Watcher(store, run_named(store, run).name).snapshot()
    if as_json:
        output.print_json({**_data(snapshot), "held_up": _held_up(store)})
        return
    output.show(output.facts(_facts(snapshot)), *_workers(snapshot))
    for line in lines_of(snapshot.sources):
        print(visible_line(line))
    for error in snapshot.recent_errors:
        print(f"Failed {error.in_words}")
    output.tell(snapshot.reasons)
    if "locks_held" not in {reason.code for reason in snapshot.reasons}:
        output.tell(lock_reasons(store))


def _facts(snapshot: "Snapshot") -> Iterator[tuple[str, Any]]:
    from swather.runs.words import duration, rate

    counts, pace, success = snapshot.counts, snapshot.rate_per_second, snapshot.success_rate
    yield "run", snapshot.run
    yield "scraper", snapshot.scraper
    yield "state", _state(snapshot)
    yield "done", f"{counts.done:,} of {counts.total:,}"
    yield "elapsed", duration(snapshot.seconds)
    if not snapshot.is_over:
        yield "rate", None if pace is None else rate(pace) if pace else "nothing ended lately"
        yield "ETA", snapshot.eta
    yield "success", None if success is None else f"{success:.1%}"
    yield "ready", counts.ready
    yield "waiting", counts.scheduled
    yield "running", snapshot.running
    if snapshot.prefetched:
        yield "prefetched", snapshot.prefetched
    for name in ("completed", "failed", "cancelled", "items", "dropped", "files", "retries"):
        yield name, getattr(counts, name)
    if counts.skipped:
        yield "skipped", counts.skipped
    yield "errors", ", ".join(snapshot.errors_in_words) or None
    if (oldest := snapshot.oldest) is not None and snapshot.running:
        limit = "" if oldest.timeout is None else f" of {duration(oldest.timeout)}"
        where = f"task {oldest.task} on {oldest.worker}"
        yield "oldest", f"{duration(oldest.seconds)}{limit}: {where}, {oldest.target}"


def _held_up(store: "Store") -> list[str]:
    """What other programs do in the database that holds up all runs."""
    from swather.runs.reasons import lock_reasons

    return [reason.sentence for reason in lock_reasons(store)]


def _workers(snapshot: "Snapshot") -> list[Any]:
    from swather.cli import output

    if not snapshot.workers:
        return []
    rows = [
        (
            worker.name,
            "paused" if worker.paused else "working",
            worker.running,
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


_HEADERS: Final = {
    "total": "of",
    "estimated_completion": "ETA",
    "worker_id": "number",
    "version": "code",
}
# What the lines below the tables say once, for all runs.
_SAID_FOR_ALL: Final = frozenset({"no_worker", "locks_held"})


def _overview(store: "Store", *, as_json: bool) -> None:
    from swather.cli import output
    from swather.runs.progress import Watcher

    newest = [Watcher(store, run.name).snapshot() for run in store.runs.find(limit=RECENT)]
    runs, workers, held_up = [*map(_run_row, newest)], _live_workers(store), _held_up(store)
    if as_json:
        for row, snapshot in zip(runs, newest, strict=True):
            row["reasons"] = [reason.as_data() for reason in snapshot.reasons]
        output.print_json({"runs": runs, "workers": workers, "held_up": held_up})
        return
    for row, snapshot in zip(runs, newest, strict=True):
        if not snapshot.is_over:
            row["estimated_completion"] = snapshot.estimated_completion or "unknown"
    for worker in workers:
        # A number that is a name, not an amount.
        worker["worker_id"] = str(worker["worker_id"])
    output.show(*(_table(rows) for rows in (runs, workers) if rows))
    if not runs:
        print("no runs")
    if not workers:
        print("no worker is running")
    for line in [*_stops(newest), *held_up]:
        print(line)


def _live_workers(store: "Store") -> list[dict[str, Any]]:
    from swather.model.worker import WorkerKind
    from swather.runs.worker_line import line_of

    return [
        {
            "worker": worker.name,
            "worker_id": worker.id,
            "state": "paused" if worker.paused else "working",
            "running": line_of(worker, "").busy,
            "version": worker.version,
        }
        for worker in store.workers.find()
        if worker.kind is WorkerKind.WORKER
    ]


def _table(rows: list[dict[str, Any]]) -> Any:
    from swather.cli import output

    headers = [_HEADERS.get(name, name) for name in rows[0]]
    return output.listing(headers, [tuple(row.values()) for row in rows])


def _stops(snapshots: "list[Snapshot]") -> Iterator[str]:
    """What stops each run."""
    for snapshot in snapshots:
        for reason in snapshot.stops:
            if reason.code not in _SAID_FOR_ALL:
                yield f"{snapshot.run}: {visible_line(reason.in_brief)}"


def _run_row(snapshot: "Snapshot") -> dict[str, Any]:
    counts, is_open = snapshot.counts, not snapshot.is_over
    return {
        "run": snapshot.run,
        "state": "paused" if snapshot.paused and is_open else str(snapshot.state),
        "done": counts.done,
        "total": counts.total,
        "running": snapshot.running,
        "failed": counts.failed,
        "items": counts.items,
        "estimated_completion": snapshot.estimated_completion if is_open else None,
    }


def _watch(store: "Store", run: str | None, *, as_json: bool) -> None:
    from swather.cli import output
    from swather.cli.selection import run_named
    from swather.runs.progress import Watcher
    from swather.runs.view import Silent, view_on

    watcher = Watcher(store, run_named(store, run).name)
    with Silent() if as_json else view_on(output.stderr()) as view:
        while True:
            snapshot = _looked_at(store, watcher)
            if as_json:
                output.print_json(_data(snapshot), indent=None)
            view.show(snapshot)
            if snapshot.is_over:
                return
            time.sleep(LOOK_SECONDS)


def _looked_at(store: "Store", watcher: "Watcher") -> "Snapshot":
    """A snapshot, or the last one while the database is away."""
    from swather.errors import DatabaseUnusable, StoreError

    try:
        snapshot = watcher.snapshot()
    except DatabaseUnusable:
        raise
    except StoreError as error:
        store.outage.failed(error)
        if (last := watcher.without_database(error)) is None:
            raise
        return last
    store.outage.answered()
    return snapshot


def _data(snapshot: "Snapshot") -> dict[str, Any]:
    from swather.cli.json_names import named

    return {
        **named(snapshot),
        "reasons": [reason.as_data() for reason in snapshot.reasons],
        "rate_per_hour": snapshot.rate_per_hour,
        "success_rate": snapshot.success_rate,
        "estimated_completion": snapshot.estimated_completion,
    }
