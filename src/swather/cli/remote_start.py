"""`swather start|enqueue --server`: a scraper that is registered where a server runs."""

import gzip
import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from swather.cli import output
from swather.cli.remote import client_of
from swather.errors import InputError, NotFound
from swather.runs.target_options import NO_TEXTS
from swather.runs.targets import form_of
from swather.runs.words import count

if TYPE_CHECKING:
    from swather.api.client import Client
    from swather.api.client_nouns import Data
    from swather.runs.source import Source

STDIN: Final = "-"
_CHUNK_BYTES: Final = 64 << 10


def start_there(
    server: str,
    scraper: str,
    source: "Source",
    params: list[str],
    *,
    keep_open: bool,
    as_json: bool,
) -> int:
    """Targets of the command line go along with the start; files are sent after it."""
    _check(source)
    client = client_of(server)
    targets = list(source.arguments)
    started = client.runs.start(
        scraper,
        targets if targets or source.files else None,
        params=dict(map(_param, params)),
        keep_open=keep_open or bool(source.files),
    )
    enqueued = started["enqueued"] + _upload_files(client, started["run"], source)
    if source.files and not keep_open:
        client.runs.close(started["run"])
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
    """Into the run that is named, or the scraper's newest if that is not over, or a new one."""
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
    enqueued += _upload_files(client, run, source)
    if as_json:
        output.print_json({"run": run, "enqueued": enqueued})
        return
    print(f"Run {run}: {count(enqueued, 'target')} added")


def _unfinished(client: "Client", scraper: str) -> str | None:
    try:
        newest = client.runs.get(scraper)
    except NotFound:
        return None
    return str(newest["run"]) if newest["state"] == "open" else None


def _check(source: "Source") -> None:
    if source.limit is not None or source.layout.texts != NO_TEXTS:
        raise InputError("--limit, --priority, --lane, --partition and --due cannot go to a server")


def _upload_files(client: "Client", run: str, source: "Source") -> int:
    return sum(_upload(client, run, name, source)["enqueued"] for name in source.files)


def _upload(client: "Client", run: str, name: str, source: "Source") -> "Data":
    layout = source.layout
    form = form_of(name, layout)
    with _opened(name) as file:
        sent = client.runs.upload_file(
            run,
            iter(lambda: file.read(_CHUNK_BYTES), b""),
            str(form),
            column=layout.column,
            key=layout.key,
            header=layout.header,
            rows=layout.rows or None,
            priority_column=layout.options.priority,
            lane_column=layout.options.lane,
            partition_column=layout.options.partition,
            due_column=layout.options.due,
            skip_bad=source.skip_bad or None,
        )
    for note in [*sent["notes"], *sent["skipped_lines"]]:
        print(f"note: {note}", file=sys.stderr)
    return sent


def _opened(name: str) -> Any:
    if name == STDIN:
        return nullcontext(sys.stdin.buffer)
    return gzip.open(name) if name.lower().endswith(".gz") else Path(name).open("rb")


def _param(pair: str) -> tuple[str, Any]:
    """A value that is JSON is sent as that: 3, true, ["a"]; anything else as text."""
    name, equals, text = pair.partition("=")
    if not equals:
        raise InputError(f"expected a parameter as name=value, got {pair!r}")
    try:
        return name.strip(), json.loads(text)
    except ValueError:
        return name.strip(), text
