"""How a command fails: one line on stderr, and an exit code that scripts can trust."""

import json
import os
import sys
from typing import Final

import typer

from swather.errors import Closed, ResultsIncomplete, StoreError, SwatherError

FINISHED_WITH_FAILURES: Final = 1
USAGE: Final = 2
DATABASE: Final = 3
INTERRUPTED: Final = 130


def report(error: typer.TyperException | SwatherError, *, as_json: bool) -> int:
    """Say what went wrong; the exit code that goes with it."""
    message = _message_of(error)
    if as_json:
        said = {"error": {"type": type(error).__name__, "message": message}}
        print(json.dumps(said, ensure_ascii=False), file=sys.stderr)
    else:
        coloured = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
        word = "\033[1;31merror:\033[0m" if coloured else "error:"
        print(f"{word} {message}", file=sys.stderr)
    if isinstance(error, ResultsIncomplete):
        return FINISHED_WITH_FAILURES
    return DATABASE if isinstance(error, StoreError | Closed) else USAGE


def _message_of(error: typer.TyperException | SwatherError) -> str:
    if isinstance(error, SwatherError):
        lines = (line.strip() for line in str(error).splitlines())
        return " ".join(line for line in lines if line)
    context = getattr(error, "ctx", None)
    said = error.format_message().strip().rstrip(".")
    return f"{said} (see: {context.command_path} --help)" if context else said
