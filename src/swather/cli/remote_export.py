"""`swather export --server`: the items of a run, written as they come from a server."""

from pathlib import Path
from typing import Any

from swather.cli import output
from swather.cli.remote import client_of, run_named
from swather.runs.replacing import replacing
from swather.runs.words import size


def export_from(
    server: str, run: str, path: Path, form: str, options: dict[str, Any], *, as_json: bool
) -> None:
    """The file is either complete or left as it was."""
    client = client_of(server)
    name = run_named(client, run)
    chunks = client.runs.export(name, form, **options)
    if str(path) == "-":
        stream = output.data_stream()
        try:
            for chunk in chunks:
                stream.write(chunk)
        finally:
            stream.flush()
        return
    written = 0
    with replacing(path) as file:
        for chunk in chunks:
            written += file.write(chunk)
    if as_json:
        output.print_json({"run": name, "path": str(path), "bytes": written})
        return
    print(f"run {name}: {size(written)} in {path}")
