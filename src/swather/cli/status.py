"""`swather status`: the progress of runs and workers."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.options import AsJSON, Database, Server
from swather.visible import visible_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from swather.api.client import Client
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
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Show the progress of runs and workers.

    For one run: counts, recent rate, estimate, what holds it back, the oldest running target,
    errors and workers. Without a name: the newest runs, what stops them, and the workers of this
    database; with --watch, the newest run.
    """
    if server is not None:
        _there(server, run, watch=watch, as_json=as_json)
        return
    from swather.cli import database
    from swather.runs.status_facts import overview

    with database.opened(db) as store:
        if watch:
            _watch(store, run, as_json=as_json)
        elif run is None:
            _overview(overview(store, limit=RECENT), as_json=as_json)
        else:
            _one(store, run, as_json=as_json)


def _there(server: str, run: str | None, *, watch: bool, as_json: bool) -> None:
    from swather.cli.remote import client_of, run_named, snapshot_of

    client = client_of(server)
    if watch:
        name = run_named(client, run)
        _keep_showing(lambda: snapshot_of(client.runs.get(name), server), as_json=as_json)
    elif run is None:
        _overview(_status_of(client), as_json=as_json)
    else:
        data = client.runs.get(run)
        _show(snapshot_of(data, server), data["held_up"], as_json=as_json)


def _status_of(client: "Client") -> dict[str, Any]:
    from swather.cli.remote import reasons_of

    data = client.status()
    for run in data["runs"]:
        run["reasons"] = [each.as_data() for each in reasons_of(run["reasons"], client.url)]
    return data


def _one(store: "Store", run: str, *, as_json: bool) -> None:
    from swather.runs.progress import snapshot_of
    from swather.runs.selection import run_named
    from swather.runs.situation import Situation
    from swather.runs.status_facts import held_up

    now = snapshot_of(Situation.of(store, run_named(store, run)))
    _show(now, held_up(store), as_json=as_json)


def _show(snapshot: "Snapshot", held_up: list[str], *, as_json: bool) -> None:
    from swather.cli import output
    from swather.runs.source_lines import lines_of
    from swather.runs.status_facts import data_of

    if as_json:
        output.print_json({**data_of(snapshot), "held_up": held_up})
        return
    output.show(output.facts(_facts(snapshot)), *_workers(snapshot))
    for line in lines_of(snapshot.sources):
        print(visible_line(line))
    for error in snapshot.recent_errors:
        print(f"Failed {error.in_words}")
    output.tell(snapshot.reasons)
    if "locks_held" not in {reason.code for reason in snapshot.reasons}:
        for line in held_up:
            print(line)


def _facts(snapshot: "Snapshot") -> Iterator[tuple[str, Any]]:
    from swather.model.rejection import top_reasons
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
    if counts.duplicates:
        yield "duplicates", counts.duplicates
    if counts.skipped:
        yield "skipped", counts.skipped
    if counts.rejected:
        yield "rejected", sum(counts.rejected.values())
        for reason, n in top_reasons(counts.rejected):
            yield f"  {visible_line(reason)}", n
    yield "errors", ", ".join(snapshot.errors_in_words) or None
    if (oldest := snapshot.oldest) is not None and snapshot.running:
        limit = "" if oldest.timeout is None else f" of {duration(oldest.timeout)}"
        where = f"task {oldest.task} on {oldest.worker}"
        yield "oldest", f"{duration(oldest.seconds)}{limit}: {where}, {oldest.target}"


def _workers(snapshot: "Snapshot") -> list[Any]:
    from swather.cli import output

    if not snapshot.workers:
        return []
    rows = [
        (
            worker.name,
            worker.mode,
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
_MOVING: Final = frozenset({"open", "paused"})
_SAID_FOR_ALL: Final = frozenset({"no_worker", "locks_held"})


def _overview(data: dict[str, Any], *, as_json: bool) -> None:
    from swather.cli import output

    if as_json:
        output.print_json(data)
        return
    runs, workers, held = data["runs"], data["workers"], data["held_up"]
    stops = list(_stops(runs))
    for row in runs:
        del row["reasons"]
        if row["state"] in _MOVING:
            row["estimated_completion"] = row["estimated_completion"] or "unknown"
    for worker in workers:
        # A number that is a name, not an amount.
        worker["worker_id"] = str(worker["worker_id"])
    output.show(*(_table(rows) for rows in (runs, workers) if rows))
    if not runs:
        print("no runs")
    if not workers:
        print("no worker is running")
    for line in [*stops, *held]:
        print(line)


def _table(rows: list[dict[str, Any]]) -> Any:
    from swather.cli import output

    headers = [_HEADERS.get(name, name) for name in rows[0]]
    return output.listing(headers, [tuple(row.values()) for row in rows])


def _stops(runs: list[dict[str, Any]]) -> Iterator[str]:
    """What stops each run."""
    for run in runs:
        for reason in run["reasons"]:
            if reason["stops"] and reason["code"] not in _SAID_FOR_ALL:
                yield f"{run['run']}: {visible_line(reason['brief'])}"


def _watch(store: "Store", run: str | None, *, as_json: bool) -> None:
    from swather.runs.progress import Watcher
    from swather.runs.selection import run_named

    watcher = Watcher(store, run_named(store, run).name)
    _keep_showing(lambda: _looked_at(store, watcher), as_json=as_json)


def _keep_showing(look: "Callable[[], Snapshot]", *, as_json: bool) -> None:
    from swather.cli import output
    from swather.runs.status_facts import data_of
    from swather.runs.view import Silent, view_on

    with Silent() if as_json else view_on(output.stderr()) as view:
        while True:
            snapshot = look()
            if as_json:
                output.print_json(data_of(snapshot), indent=None)
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
