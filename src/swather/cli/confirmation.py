"""A question before something is lost for good."""

import sys
from typing import Annotated

import typer

from swather.errors import InputError

Yes = Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")]


def confirm(question: str, *, yes: bool) -> None:
    """Return only when the answer is yes; where nobody can be asked, --yes must say it."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise InputError(f"{question} Nobody can be asked here: say --yes")
    if not typer.confirm(question, err=True):
        raise typer.Abort
