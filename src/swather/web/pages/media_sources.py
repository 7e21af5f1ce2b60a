"""Sources of a run of `media` as they stand: a word for each, and statistics."""

import re
from typing import Final

import msgspec

from swather.model.source import SourceStats, UnderWay

_TIMEOUT: Final = re.compile(r"Timeout after (\S+)")


class SourceRow(msgspec.Struct, frozen=True, kw_only=True):
    """`word` is its state for people, `colour` the state that it is drawn as. `cut` says what a
    limit has left out.
    """

    name: str
    word: str
    colour: str
    images: int
    videos: int
    succeeded: int
    failed: int
    skipped: int
    mean_seconds: float | None
    errors: list[tuple[str, int]]
    cut: str = ""


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """Over all sources of a run."""

    images: int
    videos: int
    successful: list[str]
    failed: list[str]


def row_of(source: SourceStats, cut: str = "") -> SourceRow:
    word, colour = _state(source)
    return SourceRow(
        name=source.source,
        word=word,
        colour=colour,
        images=source.counts.get("images", 0),
        videos=source.counts.get("videos", 0),
        succeeded=source.succeeded,
        failed=source.failed,
        skipped=source.skipped,
        mean_seconds=source.mean_seconds,
        errors=list(source.failures.items())[:3],
        cut=cut,
    )


def totals_of(rows: list[SourceRow]) -> Totals:
    return Totals(
        images=sum(row.images for row in rows),
        videos=sum(row.videos for row in rows),
        successful=[row.name for row in rows if row.succeeded],
        failed=[row.name for row in rows if row.failed and not row.succeeded],
    )


def _state(source: SourceStats) -> tuple[str, str]:
    if source.under_way.asking or source.under_way.waiting:
        return _under_way(source.under_way)
    found = source.counts.get("images", 0) + source.counts.get("videos", 0)
    timeouts = [match[1] for title in source.failures if (match := _TIMEOUT.match(title))]
    if source.failed and timeouts:
        return f"{found:,} found, cut at {timeouts[0].removesuffix('s')} s", "scheduled"
    if source.succeeded:
        return f"{found:,} found", "completed"
    return source.state, "failed" if source.failed else "cancelled" if source.skipped else "ready"


def _under_way(under_way: UnderWay) -> tuple[str, str]:
    if not under_way.asking:
        return "waiting", "ready"
    if under_way.total:
        return f"{under_way.done:,.0f} of {under_way.total:,.0f}", "running"
    return "asking", "running"
