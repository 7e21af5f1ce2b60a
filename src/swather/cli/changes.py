"""`swather changes`: what is new, gone or changed since an earlier run."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.arguments import RunName
from swather.cli.options import AsJSON, Database

if TYPE_CHECKING:
    from swather.runs.changes import Changes

EXAMPLES: Final = """\
swather changes books
swather changes books --since 20260215_120000-books --min-change 5%
swather changes books --key isbn --ignore scraped_at --only changed
swather changes books -o changes.csv"""

_HEADERS: Final = ("kind", "key", "field", "before", "after", "change")
_CELL: Final = 60


class KindName(StrEnum):
    """What became of an item."""

    NEW = "new"
    GONE = "gone"
    CHANGED = "changed"
    UNKNOWN = "unknown"


def command(
    run: RunName,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="The run to compare with. Default: the last finished one of the scraper before.",
        ),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD",
            help="A field that identifies an item, such as sku or offer.id. Repeatable. Default: "
            "the key that the scraper gave it, else its target and place.",
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD", help="A field whose changes do not count. Repeatable."),
    ] = None,
    only: Annotated[
        list[KindName] | None,
        typer.Option(help="Only these. Repeatable. Default: new, gone and changed."),
    ] = None,
    min_change: Annotated[
        str,
        typer.Option(
            "--min-change", metavar="P%", help="Numbers that changed by less are the same."
        ),
    ] = "0%",
    limit: Annotated[
        int, typer.Option(min=1, metavar="N", help="Show at most N items; -o writes all.")
    ] = 50,
    path: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write all to a .jsonl or .json file, an item each, or to a .csv, .xlsx or "
            ".parquet file, a row for each changed field; - is stdout.",
        ),
    ] = None,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Show what is new, gone or changed since an earlier run.

    An item counts as gone only if the run has looked where it was found before: if that target
    failed or has not run, the item is unknown. It is also gone if its page is (404). Lists are
    compared as a whole, numbers without the noise of rounding, and null is the same as missing.
    Prices have no percentage if the currency changed.
    """
    from swather.cli import database, output
    from swather.cli.amounts import percent_of
    from swather.errors import InputError
    from swather.model.change import ChangeKind
    from swather.runs.change_words import counts_words, matched_words, notes_of
    from swather.runs.changes import compared
    from swather.runs.selection import run_named
    from swather.runs.words import count

    if path is not None and str(path) == "-" and as_json:
        raise InputError("--json and the changes cannot both go to stdout")
    with database.opened(db) as store:
        changes = compared(
            store,
            run_named(store, run),
            since,
            key=key or (),
            ignored=ignore or (),
            min_percent=percent_of(min_change, option="--min-change"),
            only=[ChangeKind(kind) for kind in only or ()],
        )
        shown = _shown(changes, limit) if path is None else _written(changes, path)
        summary = {
            "run": changes.run.name,
            "since": changes.since.name,
            "matched_by": matched_words(changes, key or []),
            "counts": changes.counts,
            "notes": notes_of(changes, store),
            **shown,
        }
    if as_json:
        from swather.runs.json_names import named

        output.print_json(named(summary))
        return
    for note in summary["notes"]:
        print(f"note: {note}", file=sys.stderr)
    if path is None:
        _show(shown["changes"], more=shown["more"])
    elif str(path) != "-":
        print(f"{count(shown['items'], 'change')} in {path}")
    said = f"{counts_words(changes.counts)} since {changes.since.name}"
    line = f"{said}; matched by {summary['matched_by']}"
    print(line, file=sys.stderr if str(path) == "-" else None)


def _shown(changes: "Changes", limit: int) -> dict[str, Any]:
    """The first changes; all are counted."""
    from swather.runs.change_words import data_of

    found: list[dict[str, Any]] = []
    more = 0
    for change in changes:
        if len(found) < limit:
            found.append(data_of(change))
        else:
            more += 1
    return {"changes": found, "more": more}


def _written(changes: "Changes", path: Path) -> dict[str, Any]:
    from swather.cli.changes_export import write_changes
    from swather.runs.export import Format, format_of

    form = Format.JSONL if str(path) == "-" else format_of(path)
    return {"path": str(path), "items": write_changes(changes, path, form)}


def _show(found: list[dict[str, Any]], *, more: int) -> None:
    from swather.cli import output
    from swather.runs.change_words import key_of, percent_words, rows_of
    from swather.runs.table import text_of
    from swather.runs.words import shortened

    def cell(value: Any) -> str:
        return "" if value is None else shortened(text_of(value), _CELL)

    rows = [
        (
            row["kind"],
            shortened(key_of(row), _CELL),
            row["field"] or "",
            cell(row["before"]),
            cell(row["after"]),
            percent_words(row["percent"]),
        )
        for change in found
        for row in rows_of(change)
    ]
    if rows:
        output.show(output.listing(_HEADERS, rows))
    if more:
        print(f"{more:,} more: --limit shows them, -o writes all to a file")
