"""The sources of a run as people read them: a bar and a line for each."""

from collections.abc import Iterator, Sequence
from typing import Final

from swather.model.source import BreakerState, SourceStats
from swather.runs.words import duration, shortened

MAX_COUNTS_SHOWN: Final = 3
MAX_TITLE_CHARACTERS: Final = 40
_BAR: Final = 10


def expected(stats: SourceStats, targets: int, *, is_over: bool) -> int:
    """How many questions a full bar stands for: one for each target of the run until it is over,
    unless the scraper asks more often.
    """
    return max(stats.answered, 1 if is_over else targets, 1)


def half_answered(stats: SourceStats) -> float:
    """How much of the questions that are being asked now is done, in questions."""
    under_way = stats.under_way
    return under_way.asking * min(under_way.done / under_way.total, 1) if under_way.total else 0.0


def in_words(stats: SourceStats) -> str:
    """'asking 3 of 20 · 1 of 5 failed · 2 skipped · images 80 · HTTP 503 from …'."""
    return " · ".join(_parts(stats))


def _parts(stats: SourceStats) -> Iterator[str]:
    under_way, is_once = stats.under_way, stats.answered == 1
    if under_way.asking and under_way.total:
        yield f"{stats.state} {under_way.done:,g} of {under_way.total:,g}"
    elif is_once or stats.state not in {"done", "failed"}:
        yield stats.state
    if stats.asked and not is_once:
        failed = f"{stats.failed:,} of {stats.asked:,} failed"
        yield failed if stats.failed else f"{stats.asked:,} asked"
    if stats.skipped and not is_once:
        yield f"{stats.skipped:,} skipped"
    counts = [f"{name} {count:,}" for name, count in stats.counts.items() if count]
    yield from counts[:MAX_COUNTS_SHOWN]
    for title in list(stats.failures)[:1]:
        yield shortened(title, MAX_TITLE_CHARACTERS)


def next_try(stats: SourceStats) -> str:
    """' · next try in 54s' while it is left alone."""
    if stats.breaker.state is not BreakerState.OPEN:
        return ""
    return f" · next try in {duration(stats.breaker.retry_in)}"


def lines_of(sources: Sequence[SourceStats]) -> Iterator[str]:
    """Of a run that has ended here: how much of what was asked of each source has succeeded."""
    width = max((len(stats.source) for stats in sources), default=0)
    for stats in sources:
        full = round(_BAR * stats.succeeded / stats.answered) if stats.answered else 0
        bar = "━" * full + "─" * (_BAR - full)
        yield f"{stats.source:<{width}}  {bar}  {in_words(stats)}"
