"""Changes as rows of a table, as lines of a file, and as the sentences of a summary."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from swather.model.change import Change, ChangeCounts, Doubt
from swather.model.run import RunState
from swather.runs.changes import Changes
from swather.runs.export import Format
from swather.runs.json_names import named
from swather.runs.matching import MatchedBy
from swather.runs.table import text_of
from swather.runs.words import count
from swather.store import Store

_LINES_AT_ONCE: Final = 100
_DOUBTS: Final = {
    Doubt.FAILED: "target failed",
    Doubt.CANCELLED: "target cancelled",
    Doubt.UNFINISHED: "target has not run yet",
    Doubt.NOT_IN_RUN: "target not in the run",
}

_encode = msgspec.json.Encoder().encode


class ChangeLines:
    """Changes as JSON lines. A file of lines has an item a line; a table has a row for each field
    that changed.
    """

    def __init__(self, changes: Changes, form: Format) -> None:
        self._changes = changes
        self._is_table = form not in (Format.JSONL, Format.JSON)
        self.lines = 0
        self.changes = 0

    def __iter__(self) -> Iterator[list[bytes]]:
        lines: list[bytes] = []
        for change in self._changes:
            data = data_of(change)
            rows = rows_of(data) if self._is_table else [data]
            lines += [_encode(row) + b"\n" for row in rows]
            self.lines += len(rows)
            self.changes += 1
            if len(lines) >= _LINES_AT_ONCE:
                yield lines
                lines = []
        yield lines


def data_of(change: Change) -> dict[str, Any]:
    """A change for programs."""
    data: dict[str, Any] = named(change)
    if change.doubt is None:
        data.pop("doubt")
    return data


def rows_of(data: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each field that changed; one with the whole item if it is new or gone."""
    this = {name: data[name] for name in ("kind", "key", "target")}
    whole = {"field": None, "before": data["before"], "after": data["after"], "percent": None}
    return [{**this, **each} for each in data["changes"] or [whole]]


def key_of(row: dict[str, Any]) -> str:
    """What people know an item by."""
    return text_of(row["target"] if row["key"] is None else row["key"])


def percent_words(percent: float | None) -> str:
    """'-12%', '+3.4%'."""
    return "" if percent is None else f"{percent:+,.1f}%".replace(".0%", "%")


def counts_words(counts: ChangeCounts) -> str:
    """'12 new, 3 gone, 40 changed, 1,200 the same'."""
    parts = [
        f"{counts.new:,} new",
        f"{counts.gone:,} gone",
        f"{counts.changed:,} changed",
        f"{counts.same:,} the same",
    ]
    if counts.minor:
        parts[-1] += f" ({counts.minor:,} of them changed by less)"
    if counts.unknown:
        why = ", ".join(f"{_DOUBTS[doubt]}: {n:,}" for doubt, n in sorted(counts.doubts.items()))
        parts.append(f"{counts.unknown:,} unknown ({why})")
    return ", ".join(parts)


def matched_words(changes: Changes, fields: list[str]) -> str:
    """How the items of both runs were matched."""
    used = {by for counts in changes.matched.values() for by in counts}
    words = {
        MatchedBy.KEY: "key",
        MatchedBy.FIELDS: " + ".join(fields),
        MatchedBy.PLACE: "target and place",
    }
    return "; others by ".join(words[by] for by in MatchedBy if by in used) or "nothing"


def notes_of(changes: Changes, store: Store) -> list[str]:
    """What a person should know about the comparison, once it is made."""
    run, since = changes.run, changes.since
    notes = []
    if run.scraper != since.scraper:
        notes.append(f"these are runs of different scrapers: {since.scraper} and {run.scraper}")
    if since.id > run.id:
        notes.append(f"{since.name} is newer than {run.name}: new and gone are the wrong way round")
    for each in (since, run):
        counts = store.runs.counts(each.name)
        if each.state is RunState.OPEN:
            notes.append(
                f"run {each.name} is not finished: {count(counts.unfinished, 'target')} to do"
            )
        if counts.failed or counts.cancelled:
            ended = counts.failed + counts.cancelled
            notes.append(f"run {each.name}: {count(ended, 'target')} failed or cancelled")
    if changes.repeated:
        notes.append(
            f"{count(changes.repeated, 'key')} on more than one item of a run: identical items "
            "were matched first, the others in their order"
        )
    if changes.crowded:
        notes.append(
            f"{count(changes.crowded, 'match', 'matches')} with more than 1,000 items in a run: "
            "these were matched in their order; a better key is needed (--key)"
        )
    ways = [set(changes.matched.get(each.name, {})) for each in (since, run)]
    if ways[0] and ways[1] and not ways[0] & ways[1]:
        notes.append("the items of only one of the runs have keys; --key names fields of both")
    return notes
