"""Commands to copy, as they are typed where a server is asked and not its database."""

import os
import shlex
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final

from swather.cli.commands import Commands
from swather.cli.options import SERVER_VARIABLE, takes_server

_DATABASE_OPTION: Final = "--db"


def with_server(command: str, server: str) -> str:
    """A command that asks the same server."""
    if server == os.environ.get(SERVER_VARIABLE):
        return command
    return f"{command} --server {shlex.quote(server)}"


def asked_there(command: str, server: str) -> str | None:
    """What to type here for a command that a server suggests for its database; None for one that
    works only where the server runs.
    """
    words = shlex.split(command)
    if not _takes_server(words[1:]):
        return None
    if _DATABASE_OPTION in words:
        at = words.index(_DATABASE_OPTION)
        del words[at : at + 2]
    return with_server(shlex.join(words), server)


@cache
def commands_with_server() -> tuple[str, ...]:
    """All that have --server: 'status', 'runs ls', 'fleet scale'."""
    return tuple(_with_server(Commands(), ()))


def _with_server(command: Any, path: tuple[str, ...]) -> Iterator[str]:
    if takes_server(command):
        yield " ".join(path)
    for name, each in getattr(command, "commands", {}).items():
        yield from _with_server(each, (*path, name))


def _takes_server(words: Sequence[str]) -> bool:
    """Whether the command does that these words call."""
    called: Any = Commands()
    for word in words:
        if (inner := getattr(called, "commands", {})) and word in inner:
            called = inner[word]
        else:
            break
    return takes_server(called)
