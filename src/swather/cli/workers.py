"""`swather workers …`: who works, and pauses, drains and stops of single workers."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from swather.cli.group import command_in, list_unless_called, listing_group
from swather.cli.options import AsJSON, Database, Server

if TYPE_CHECKING:
    from swather.runs.attempts import Attempts

EXAMPLES: Final = """\
swather workers
swather workers drain host_4711_2
swather workers pause host_4711_2"""

Names = Annotated[list[str], typer.Argument(metavar="NAME...", help="Workers, by name or number.")]
Verb = Literal["pause", "unpause", "drain", "stop"]
_DONE: Final = {
    "pause": "is paused",
    "unpause": "works again",
    "drain": "finishes its running targets and exits",
    "stop": "gives its targets back and exits",
}

group = listing_group(EXAMPLES)


@group.callback()
def workers(
    ctx: typer.Context, db: Database = None, server: Server = None, as_json: AsJSON = False
) -> None:
    """List workers; pause, drain and stop single ones.

    A worker of a fleet that has left is replaced, since a fleet keeps its number; `swather fleet
    scale` changes the number. Without a command: the list.
    """
    list_unless_called(ctx, list_workers, db, server=server, as_json=as_json)


@command_in(
    group,
    "ls",
    """\
swather workers ls
swather workers ls --server http://127.0.0.1:8000
swather workers ls --json | jq '.[] | select(.state == "paused") | .worker'""",
)
def list_workers(db: Database = None, server: Server = None, as_json: AsJSON = False) -> None:
    """List live workers, by number."""
    from swather.cli import output

    found = _found_here(db) if server is None else _found_there(server)
    if as_json:
        output.print_json(found)
        return
    if not found:
        print("no worker is running")
        return
    headers = ("worker", "state", "busy", "slots", "completed", "failed", "host", "process")
    rows = [
        [str(each[name]) if name == "process" else each[name] for name in headers] for each in found
    ]
    output.show(output.listing(headers, rows))


@command_in(group, "pause", "swather workers pause host_4711_2")
def pause(name: Names, db: Database = None, server: Server = None, as_json: AsJSON = False) -> None:
    """Let workers claim nothing more until they are unpaused; they keep what they have."""
    _change("pause", name, db, server, as_json=as_json)


@command_in(group, "unpause", "swather workers unpause host_4711_2")
def unpause(
    name: Names, db: Database = None, server: Server = None, as_json: AsJSON = False
) -> None:
    """Let paused workers work again. One that drains or stops cannot be called back."""
    _change("unpause", name, db, server, as_json=as_json)


@command_in(group, "drain", "swather workers drain host_4711_2")
def drain(name: Names, db: Database = None, server: Server = None, as_json: AsJSON = False) -> None:
    """Let workers finish their running targets, give back the rest, and exit.

    They notice within a second, and wait for their targets as long as these may take. A fleet
    starts another worker in the place of one that has left; to have fewer, scale the fleet.
    """
    _change("drain", name, db, server, as_json=as_json)


@command_in(group, "stop", "swather workers stop host_4711_2")
def stop(name: Names, db: Database = None, server: Server = None, as_json: AsJSON = False) -> None:
    """Let workers give back all targets, also running ones, and exit.

    What they give back costs no attempt; other workers take it. A fleet starts another worker in
    the place of one that has left; to have fewer, scale the fleet.
    """
    _change("stop", name, db, server, as_json=as_json)


def _found_here(db: str | None) -> list[dict[str, Any]]:
    from swather.cli import database
    from swather.runs.worker_facts import data_of, workers_in

    with database.opened(db) as store:
        return [data_of(worker) for worker in workers_in(store)]


def _found_there(server: str) -> list[dict[str, Any]]:
    from swather.cli.remote import client_of

    return client_of(server).workers.list()


def _change(
    verb: Verb, names: list[str], db: str | None, server: str | None, *, as_json: bool
) -> None:
    from swather.cli import output

    change = partial(_change_here, db) if server is None else partial(_change_there, server)
    attempts = change(verb, names)
    if as_json:
        output.print_json({"verb": verb, "workers": attempts.done})
    else:
        for name in attempts.done:
            print(f"worker {name} {_DONE[verb]}")
    attempts.check()


def _change_here(db: str | None, verb: Verb, names: list[str]) -> "Attempts[str]":
    from swather.cli import database
    from swather.runs.worker_changes import change_workers

    with database.opened(db) as store:
        return change_workers(store, names, verb)


def _change_there(server: str, verb: Verb, names: list[str]) -> "Attempts[str]":
    from swather.cli.remote import client_of
    from swather.runs.attempts import Attempts, attempt

    change = client_of(server).workers.change
    answers, errors = attempt(partial(change, name, verb) for name in names)
    return Attempts([worker for answer in answers for worker in answer["workers"]], errors)
