"""`swather start|enqueue --server`: a scraper that is registered where a server runs."""

import json
from typing import TYPE_CHECKING, Any

from swather.cli import output
from swather.cli.remote import client_of
from swather.cli.remote_upload import check_files, ended_if_it_fails, upload_files
from swather.errors import InputError, NotFound
from swather.runs.target_options import NO_TEXTS
from swather.runs.words import count

if TYPE_CHECKING:
    from swather.api.client import Client
    from swather.runs.source import Source


def start_there(
    server: str,
    scraper: str,
    source: "Source",
    params: list[str],
    *,
    new: bool = True,
    keep_open: bool,
    as_json: bool,
) -> int:
    """Targets of the command line go along with the start; files are sent after it. Without `new`,
    targets that the scraper has there continue the run that they began.
    """
    _check(source)
    client = client_of(server)
    targets = list(source.arguments)
    started = client.runs.start(
        scraper,
        targets if targets or source.files else None,
        params=dict(map(_param, params)),
        new=new,
        keep_open=keep_open or bool(source.files),
    )
    run, enqueued = started["run"], started["enqueued"]
    if source.files:
        with ended_if_it_fails(client, run, scraper, keep_open=keep_open):
            enqueued += upload_files(client, run, source)
            if not keep_open:
                client.runs.close(run)
    answer = {**started, "enqueued": enqueued}
    if as_json:
        output.print_json(answer)
        return 0
    print(f"Run {answer['run']}: {count(enqueued, 'target')} loaded")
    print("To start a worker where the scraper's code is:")
    print(f"    {answer['worker_command']}")
    return 0


def enqueue_there(
    server: str,
    scraper: str,
    source: "Source",
    params: list[str],
    *,
    resume: str | None,
    new: bool,
    keep_open: bool,
    as_json: bool,
) -> None:
    """Into the run that is named, or the scraper's newest if that is not over, or a new one.
    Without targets: those that the scraper has where the server runs.
    """
    if source.is_empty:
        if resume is not None:
            raise InputError(
                f"nothing to load into {resume}: swather enqueue {scraper} URL…, or --targets FILE"
            )
        start_there(server, scraper, source, params, new=new, keep_open=keep_open, as_json=as_json)
        return
    client = client_of(server)
    run = resume or (None if new else _unfinished(client, scraper))
    if run is None:
        start_there(server, scraper, source, params, keep_open=keep_open, as_json=as_json)
        return
    _check(source)
    if params or keep_open:
        raise InputError(f"run {run} is there already; -p and --keep-open are for --new ones")
    enqueued = 0
    if source.arguments:
        enqueued = client.runs.add(run, source.arguments)["enqueued"]
    enqueued += upload_files(client, run, source)
    if as_json:
        output.print_json({"run": run, "enqueued": enqueued})
        return
    print(f"Run {run}: {count(enqueued, 'target')} added")


def _unfinished(client: "Client", scraper: str) -> str | None:
    try:
        newest = client.runs.get(scraper)
    except NotFound:
        return None
    # The beginning of a scraper's name finds its runs, too.
    is_it = newest["scraper"] == scraper and newest["state"] == "open"
    return str(newest["run"]) if is_it else None


def _check(source: "Source") -> None:
    if source.limit is not None or source.layout.texts != NO_TEXTS:
        raise InputError(
            "--limit, --priority, --lowest-first, --lane, --partition and --due cannot go to a "
            "server; leave them out"
        )
    check_files(source)


def _param(pair: str) -> tuple[str, Any]:
    """A value that is JSON is sent as that: 3, true, ["a"]; anything else as text."""
    name, equals, text = pair.partition("=")
    if not equals:
        raise InputError(f"expected a parameter as name=value, got {pair!r}")
    try:
        return name.strip(), json.loads(text)
    except ValueError:
        return name.strip(), text
