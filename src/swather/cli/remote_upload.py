"""Files of targets that are sent to a server, and what becomes of a new run if that fails."""

import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from swather.cli.server_commands import with_server
from swather.errors import SwatherError
from swather.runs.intake import CHECKED_AHEAD, bad_lines
from swather.runs.lines import STDIN
from swather.runs.targets import BadLine, form_of, read_targets
from swather.runs.words import count

if TYPE_CHECKING:
    from swather.api.client import Client
    from swather.api.client_nouns import Data
    from swather.runs.source import Source

_CHUNK_BYTES: Final = 64 << 10


def check_files(source: "Source") -> None:
    """Refuse columns that a file does not have, and bad lines among its first ones, before a run is
    begun for them. Standard input is read only once, when it is sent.
    """
    for name in source.files:
        if name == STDIN:
            continue
        first = islice(read_targets(name, source.layout), CHECKED_AHEAD)
        bad = [entry for entry in first if isinstance(entry, BadLine)]
        if bad and not source.skip_bad:
            raise bad_lines(bad, "--skip-bad")


def upload_files(client: "Client", run: str, source: "Source") -> int:
    """How many targets were new."""
    return sum(_upload(client, run, name, source)["enqueued"] for name in source.files)


@contextmanager
def ended_if_it_fails(
    client: "Client", run: str, scraper: str, *, keep_open: bool
) -> Iterator[None]:
    """A new run is kept open while its targets are sent in the block. One that got none of them is
    cancelled if they do not come, and others are closed as they would have been.
    """
    try:
        yield
    except BaseException:
        print(_end(client, run, scraper, keep_open=keep_open), file=sys.stderr)
        raise


def _end(client: "Client", run: str, scraper: str, *, keep_open: bool) -> str:
    try:
        stats = client.runs.stats(run)
        loaded = sum(stats[state] for state in ("pending", "claimed", "completed", "failed"))
        if not loaded:
            client.runs.cancel(run)
            return f"note: run {run} was begun and is cancelled: no target was loaded"
        if not keep_open:
            client.runs.close(run)
    except SwatherError as error:
        cancel = with_server(f"swather cancel {run}", client.url)
        return f"note: run {run} was begun and may be kept open ({error}); to end it: {cancel}"
    again = with_server(f"swather enqueue {scraper} --resume {run}", client.url)
    return (
        f"note: run {run} has {count(loaded, 'target')}, not all of them; to load the rest, with "
        f"the same targets and options: {again}"
    )


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
