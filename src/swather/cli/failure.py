"""How a command fails: what is written to stderr, and an exit code that scripts can trust."""

import sys
from typing import Final

import typer

from swather.errors import (
    BadLines,
    BadSite,
    Closed,
    ResultsIncomplete,
    ServerRefused,
    ServerUnreachable,
    StoreError,
    SwatherError,
)
from swather.masking import masked
from swather.visible import underneath, visible

FINISHED_WITH_FAILURES: Final = 1
USAGE: Final = 2
DATABASE: Final = 3
INTERRUPTED: Final = 130


def report(error: typer.TyperException | SwatherError, *, as_json: bool) -> int:
    """Say what went wrong; the exit code that goes with it."""
    message = _message_of(error)
    if as_json:
        from swather.cli import output

        # Whole, a sentence that begins with a URL would be masked as one.
        said = {"error": {"type": type(error).__name__, "message": masked(message)}}
        print(output.json_text(said, sys.stderr, indent=None), file=sys.stderr, flush=True)
    elif underneath(sys.stderr).isatty():
        from rich.text import Text

        from swather.cli import output

        word = Text("error: ", style="bold red")
        output.stderr().print(word + visible(masked(message)), soft_wrap=True)
    else:
        print(f"error: {message}", file=sys.stderr)
    if isinstance(error, ResultsIncomplete):
        return FINISHED_WITH_FAILURES
    return DATABASE if isinstance(error, StoreError | Closed | ServerUnreachable) else USAGE


def _message_of(error: typer.TyperException | SwatherError) -> str:
    if isinstance(error, BadLines | BadSite):
        return str(error)
    if isinstance(error, SwatherError):
        said = _refusal_of(error) if isinstance(error, ServerRefused) else str(error)
        lines = (line.strip() for line in said.splitlines())
        return " ".join(line for line in lines if line)
    context = getattr(error, "ctx", None)
    if context and getattr(error, "option_name", "") == "--server":
        return (
            f"`{context.command_path}` works on a database: leave --server out, and name the "
            "database with --db"
        )
    said = error.format_message().strip().rstrip(".")
    return f"{said} (see: {context.command_path} --help)" if context else said


def _refusal_of(error: ServerRefused) -> str:
    """What a server suggests, as it is typed here."""
    if not error.command:
        return error.detail
    from swather.cli.server_commands import asked_there

    here = asked_there(error.command, error.server)
    if here is None:
        return f"{error.detail}; where the server runs: {error.command}"
    return f"{error.detail}: {here}"
