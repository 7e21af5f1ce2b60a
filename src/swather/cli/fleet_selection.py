"""The option that names a fleet."""

from typing import Annotated

import typer

FleetName = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="The fleet; needed if there are several."),
]
