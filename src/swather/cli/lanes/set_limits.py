"""`swather lanes set`."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from swather.cli.lanes.named import LaneNames, OfScrapers
from swather.cli.options import AsJSON, Database
from swather.errors import InputError

if TYPE_CHECKING:
    from swather.model.pacing import Limits

EXAMPLES: Final = """\
swather lanes set example.com --rate 2/s --in-flight 4
swather lanes set example.com --rate 30/min --burst 5
swather lanes set example.com --rate none
swather lanes set books --scraper --rate 100/s"""

NONE: Final = "none"


def command(
    lanes: LaneNames,
    rate: Annotated[
        str | None,
        typer.Option("--rate", metavar="RATE", help="Requests: 5/s, 30/min, 1/2s; none: any."),
    ] = None,
    in_flight: Annotated[
        str | None,
        typer.Option("--in-flight", metavar="N", help="Targets that run together; none: any."),
    ] = None,
    burst: Annotated[
        int | None,
        typer.Option("--burst", min=1, metavar="N", help="Requests at once after a quiet time."),
    ] = None,
    scraper: OfScrapers = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Limit how fast lanes are scraped.

    Over all runs and workers together, within a second. What is not named stays as it is. The
    strictest limit wins: a lane cannot be made faster than a scraper's decorator, the site's
    robots.txt or a learned pace allow.
    """
    from swather.cli import database, output
    from swather.cli.lanes.facts import data_of
    from swather.cli.lanes.named import kind_of, names_of

    if rate is None and in_flight is None and burst is None:
        raise InputError("say what to set: --rate 2/s, --in-flight 4 or --burst 5")
    kind = kind_of(scrapers=scraper)
    with database.opened(db) as store:
        wanted = {
            name: _changed(store.lanes.get(name, kind).limits, rate, in_flight, burst)
            for name in names_of(lanes, scrapers=scraper)
        }
        for name, limits in wanted.items():
            store.lanes.limit(name, limits, kind)
        store.hints.send()
        found = [store.lanes.get(name, kind) for name in wanted]
        breakers = store.breakers.find()
    if as_json:
        output.print_json([data_of(lane, breakers) for lane in found])
        return
    for lane in found:
        print(f"{lane.kind} {lane.name}: {_in_words(lane.limits)}")


def _changed(
    limits: "Limits", rate: str | None, in_flight: str | None, burst: int | None
) -> "Limits":
    import msgspec

    from swather.model.pacing import parse_rate

    if rate == "auto":
        raise InputError("auto is a rate of scrapers, @scraper(rate='auto'); a lane's is 2/s, say")
    every = limits.every_seconds
    if rate is not None:
        every = 0.0 if rate == NONE else parse_rate(rate)
    if burst is not None and not every:
        raise InputError("a burst is of use only with a rate; give --rate too")
    return msgspec.structs.replace(
        limits,
        every_seconds=every,
        burst=(burst or limits.burst) if every else 1,
        in_flight=limits.in_flight if in_flight is None else _in_flight(in_flight),
    )


def _in_flight(text: str) -> int | None:
    if text == NONE:
        return None
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 2**31):
        raise InputError(f"--in-flight takes a whole number of at least 1, or none, got {text!r}")
    return int(text)


def _in_words(limits: "Limits") -> str:
    from swather.runs.words import rate

    said = []
    if limits.every_seconds:
        at_once = f", {limits.burst} at once" if limits.burst > 1 else ""
        said.append(rate(1 / limits.every_seconds) + at_once)
    if limits.in_flight is not None:
        said.append(f"at most {limits.in_flight} in flight")
    return ", ".join(said) or "no limits"
