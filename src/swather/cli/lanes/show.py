"""`swather lanes show`."""

from datetime import UTC, datetime
from typing import Any, Final

from swather.cli.lanes.named import LaneName, OfScrapers
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather lanes show example.com
swather lanes show books --scraper
swather lanes show example.com --json | jq .strikes"""


def command(
    lane: LaneName, scraper: OfScrapers = False, db: Database = None, as_json: AsJSON = False
) -> None:
    """Show one lane, and what holds it back."""
    from swather.cli import database, output
    from swather.cli.lanes.facts import breakers_of, data_of
    from swather.cli.lanes.named import kind_of, names_of
    from swather.runs import breaker_words, lane_words

    (name,) = names_of([lane], scrapers=scraper)
    now = datetime.now(UTC)
    with database.opened(db) as store:
        found = store.lanes.get(name, kind_of(scrapers=scraper))
        breakers = breakers_of(found, store.breakers.find())
        held = list(lane_words.held_by(found, url=store.url, now=now))
        for breaker in breakers:
            held += breaker_words.told(breaker, url=store.url, now=now)
    data = data_of(found, breakers)
    if as_json:
        output.print_json({**data, "why": held})
        return
    output.show(output.facts(_facts(data)))
    print()
    for sentence in held or ["Nothing holds it back."]:
        print(sentence)


def _facts(data: dict[str, Any]) -> list[tuple[str, Any]]:
    most = data["max_in_flight"]
    facts: list[tuple[str, Any]] = [
        (data["kind"], data["name"]),
        ("rate", data["rate"]),
        ("burst", data["burst"] if data["rate"] else None),
        ("in flight", data["in_flight"] if most is None else f"{data['in_flight']} of {most}"),
        ("strikes", data["strikes"]),
    ]
    if data["kind"] == "lane":
        facts += [
            ("crawl delay", _seconds(data["crawl_delay_seconds"])),
            ("learned pace", _seconds(data["learned_every_seconds"])),
        ]
    return facts


def _seconds(every: float | None) -> str | None:
    return None if every is None else f"one every {every:g} s"
