"""Which proxies a command means: by id or address, or by what they have in common."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from swather.errors import InputError

if TYPE_CHECKING:
    from swather.model.proxy import ProxyFilter, ProxyRow
    from swather.store.ports import Store

# More than anyone has.
MAX_PROXIES: Final = 1_000_000


class StateName(StrEnum):
    """The state of a proxy."""

    USABLE = "usable"
    BLACKLISTED = "blacklisted"
    PROBING = "probing"
    DISABLED = "disabled"


Named = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PROXY]...", help="Proxies by id or address."),
]
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="TAG", help="Only those with this tag. Repeatable: all of them."),
]
Country = Annotated[
    str | None, typer.Option("--country", metavar="CC", help="Only those of this country: de.")
]
Source = Annotated[
    str | None,
    typer.Option("--source", metavar="SOURCE", help="Only those of this source."),
]
State = Annotated[StateName | None, typer.Option("--state", help="Only those in this state.")]
All = Annotated[bool, typer.Option("--all", help="All proxies.")]


def filter_of(
    store: "Store",
    tags: list[str] | None,
    country: str | None,
    source: str | None,
    state: StateName | None = None,
    text: str | None = None,
) -> "ProxyFilter":
    from swather.model.proxy import ProxyFilter, ProxyState
    from swather.model.proxy_list import parse_country, parse_tags

    return ProxyFilter(
        tags=parse_tags(",".join(tags or [])),
        country=parse_country(country) if country else "",
        source=_source(store, source) if source else "",
        state=None if state is None else ProxyState(state),
        text=text or "",
    )


def chosen(
    store: "Store", named: list[str] | None, having: "ProxyFilter", *, everything: bool, verb: str
) -> "list[ProxyRow]":
    """The proxies that a command is to change; it must say which in exactly one way."""
    from swather.model.proxy import ProxyFilter

    by_filter = having != ProxyFilter()
    if [bool(named), by_filter, everything].count(True) != 1:
        raise InputError(
            f"say which proxies to {verb}: by id or address, or with --tag, --country, "
            "--source or --state, or --all"
        )
    if not named:
        return store.proxies.find(having, limit=MAX_PROXIES)
    found = [store.proxies.get(each).proxy for each in named]
    return list({row.id: row for row in found}.values())


def _source(store: "Store", name: str) -> str:
    """A file is known by its whole path, and named as it was for the import."""
    from pathlib import Path

    from swather.model.proxy import ProxyFilter

    path = str(Path(name).absolute())
    return path if store.proxies.find(ProxyFilter(source=path), limit=1) else name
