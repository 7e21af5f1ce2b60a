"""Which fleet a command is about."""

from typing import TYPE_CHECKING, Annotated

import typer

from swather.errors import InputError, NotFound

if TYPE_CHECKING:
    from swather.model.supervisor import SupervisorRow
    from swather.store.ports import Store

FleetName = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="The fleet; needed if there are several."),
]


def live_fleet(store: "Store", name: str | None) -> "SupervisorRow":
    """The supervisor of that name, or the only one; NotFound says which there are."""
    live = store.supervisors.find()
    found = [row for row in live if name is None or row.name == name]
    names = ", ".join(sorted(row.name for row in live))
    if len(found) > 1:
        raise InputError(f"several fleets are up: {names}; say which: --name {live[0].name}")
    if found:
        return found[0]
    if name is None:
        raise NotFound("no fleet is up; start one: swather fleet up SCRAPER --workers N")
    dead = [row for row in store.supervisors.find(live=False) if row.name == name]
    what = f"the fleet {name!r} is not up" if dead else f"there is no fleet named {name!r}"
    raise NotFound(f"{what}; {f'up are: {names}' if names else 'no other is up'}")
