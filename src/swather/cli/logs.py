"""`swather logs`: the event log of a run."""

import sys
import time
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.arguments import RunOrNewest
from swather.cli.options import AsJSON, Database

if TYPE_CHECKING:
    from swather.model.task import Event
    from swather.store.ports import Store

EXAMPLES: Final = """\
swather logs
swather logs books --task 12
swather logs books --follow"""

PAGE: Final = 1_000
LOOK_SECONDS: Final = 0.5


def command(
    run: RunOrNewest = None,
    task: Annotated[int | None, typer.Option(min=1, metavar="TASK", help="Only this task.")] = None,
    worker: Annotated[
        int | None, typer.Option(min=1, metavar="WORKER", help="Only the worker with this number.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="The last N events.")] = 50,
    follow: Annotated[
        bool, typer.Option("-f", "--follow", help="Keep showing new events until the run is over.")
    ] = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Show what happened to the tasks of a run.

    Failures, retries and what scrapers write to `ctx.log`. `swather settings set event_level all`
    also records every claim, start and end. With --json, one object per line.
    """
    from swather.cli import database
    from swather.model.run import RunState
    from swather.runs.selection import run_named

    with database.opened(db) as store:
        name = run_named(store, run).name
        which = {"task_id": task, "worker_id": worker}
        last = 0
        for event in deque(_events(store, name, which, 0), maxlen=limit):
            _print(event, as_json=as_json)
            last = event.id
        while follow:
            over = store.runs.get(name).state is not RunState.OPEN
            for event in _events(store, name, which, last):
                _print(event, as_json=as_json)
                last = event.id
            if over:
                break
            time.sleep(LOOK_SECONDS)
        if not last and not as_json:
            print(f"run {name}: no matching events", file=sys.stderr)


def _events(
    store: "Store", run: str, which: dict[str, int | None], after_id: int
) -> Iterator["Event"]:
    while found := store.events.find(run, **which, after_id=after_id, limit=PAGE):
        yield from found
        after_id = found[-1].id


def _print(event: "Event", *, as_json: bool) -> None:
    from swather.cli import output
    from swather.runs.json_names import named

    if as_json:
        output.print_json(named(event), indent=None)
        return
    level = (event.data or {}).get("level")
    kind = event.kind if level is None else level
    print(f"{event.at.astimezone():%F %T}  {kind:<9}{_about(event)}", flush=True)


def _about(event: Any) -> str:
    task = "" if event.task_id is None else f"  task {event.task_id}"
    worker = "" if event.worker_id is None else f"  worker {event.worker_id}"
    first = event.message.partition("\n")[0]
    return task + worker + (f"  {first}" if first else "")
