"""Asks before something that cannot be undone."""

import sys
from typing import Annotated

import typer

from swather.errors import InputError

Yes = Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")]


def confirm(question: str, *, yes: bool) -> None:
    """Return only when the answer is yes; without a terminal to ask on, --yes must be given."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise InputError(f"{question} Not interactive: pass --yes")
    if not typer.confirm(question, err=True):
        raise typer.Abort
