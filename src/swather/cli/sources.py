"""`swather sources …`: how the sources that scrapers ask have answered, and which are skipped."""

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.amounts import seconds_of
from swather.cli.group import NamingGroup, command_in, listing_group
from swather.cli.options import AsJSON, Database, DatabaseToChange

if TYPE_CHECKING:
    from swather.model.source import SourceBreaker, SourceStats

EXAMPLES: Final = """\
swather sources
swather sources media --since 30d
swather sources reset flickr"""

group = listing_group(EXAMPLES, NamingGroup)


@group.callback()
def sources() -> None:
    """Show how the sources of scrapers answer.

    A source is what a scraper asks besides the target's own site and notes with ctx.note_source: an
    API, a mirror, a search engine. `swather sources` is short for `swather sources ls`, and takes
    the same arguments and options.
    """


@command_in(
    group,
    "ls",
    """\
swather sources ls
swather sources ls media --since 30d
swather sources ls --json | jq '.[] | select(.breaker.state != "closed")'""",
)
def list_sources(
    scraper: Annotated[
        str | None, typer.Argument(metavar="SCRAPER", help="Only sources of this scraper.")
    ] = None,
    since: Annotated[
        str, typer.Option("--since", metavar="TIME", help="Count the last 12h, 30d, …")
    ] = "7d",
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """List the sources of scrapers.

    Shows how often each was asked, how often it succeeded, how long an answer took on average, its
    circuit breaker, and the most frequent failure. After 3 failures in a row a source is skipped
    for a minute, then for twice as long each time until it answers again, an hour at most.
    """
    from swather.cli import database, output

    seconds = seconds_of(since, option="--since")
    with database.opened(db) as store:
        found = store.sources.find(since_seconds=seconds, scraper=scraper)
    if as_json:
        output.print_json([stats.as_data() for stats in found])
        return
    if not found:
        of = "" if scraper is None else f" of scraper {scraper!r}"
        print(f"no source{of} was asked in the last {since}; scrapers note them: ctx.note_source")
        return
    tables = [output.listing(_HEADERS, [_row(stats) for stats in found])]
    if failing := [_failure(stats) for stats in found if stats.failures]:
        tables.append(output.listing(_FAILURE_HEADERS, failing))
    output.show(*tables)


_HEADERS: Final = ("source", "scraper", "asked", "ok", "mean", "skipped", "breaker")
_FAILURE_HEADERS: Final = ("source", "scraper", "times", "most frequent failure")


@command_in(
    group,
    "reset",
    """\
swather sources reset flickr
swather sources reset flickr --scraper media""",
)
def reset_source(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The source.")],
    scraper: Annotated[
        str | None, typer.Option("--scraper", metavar="NAME", help="Only for this scraper.")
    ] = None,
    db: DatabaseToChange = None,
    as_json: AsJSON = False,
) -> None:
    """Close the breaker of a source, so that it is asked again at once.

    Its failures in a row are forgotten; what was counted stays.
    """
    from swather.cli import database, output
    from swather.runs.source_reset import reset_source as reset
    from swather.runs.words import count

    with database.opened(db) as store:
        closed = reset(store, source, scraper)
    if as_json:
        output.print_json({"source": source, "reset": closed})
        return
    if closed:
        print(f"{source} will be asked again by {count(len(closed), 'scraper')}")
    else:
        print(f"{source} has not failed since it last succeeded; there is nothing to reset")


def _row(stats: "SourceStats") -> tuple[Any, ...]:
    from swather.runs.words import duration, share

    mean, rate = stats.mean_seconds, stats.success_rate
    return (
        stats.source,
        stats.scraper,
        stats.asked,
        "-" if rate is None else share(rate),
        "-" if mean is None else duration(mean),
        stats.skipped,
        _breaker_words(stats.breaker),
    )


def _failure(stats: "SourceStats") -> tuple[Any, ...]:
    title, times = next(iter(stats.failures.items()))
    return stats.source, stats.scraper, times, title


def _breaker_words(breaker: "SourceBreaker") -> str:
    from swather.model.source import BreakerState
    from swather.runs.words import duration

    if breaker.state is BreakerState.CLOSED:
        return "closed"
    if breaker.state is BreakerState.OPEN:
        return f"open, {duration(breaker.retry_in)} left"
    return "half open"
