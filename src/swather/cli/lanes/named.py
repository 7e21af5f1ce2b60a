"""Which lanes, or scrapers, a command is about."""

from typing import TYPE_CHECKING, Annotated

import typer

from swather.errors import InputError

if TYPE_CHECKING:
    from swather.model.lane import PacedKind

LaneName = Annotated[
    str, typer.Argument(metavar="LANE", help="The lane: a host, or a URL of that host.")
]
LaneNames = Annotated[
    list[str], typer.Argument(metavar="LANE", help="The lanes: hosts, or URLs of those hosts.")
]
OfScrapers = Annotated[
    bool, typer.Option("--scraper", help="LANE names a scraper: all that it does, on any lane.")
]


def names_of(given: list[str], *, scrapers: bool) -> list[str]:
    """The names as the database has them, each once."""
    from swather.model.task import check_name
    from swather.net.request import is_http
    from swather.scraping.targets import lane_of_url

    kind = "scraper" if scrapers else "lane"
    found: dict[str, None] = {}
    for name in given:
        if not check_name(kind, name).strip():
            raise InputError(f"a {kind} needs a name")
        if scrapers and (":" in name or name.endswith((".py", ".toml"))):
            raise InputError(f"expected a scraper's name, as `swather runs` shows it, got {name!r}")
        found[lane_of_url(name) if is_http(name) and not scrapers else name] = None
    return list(found)


def kind_of(*, scrapers: bool) -> "PacedKind":
    from swather.model.lane import PacedKind

    return PacedKind.SCRAPER if scrapers else PacedKind.LANE
