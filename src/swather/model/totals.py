"""The counts of many runs at once."""

from collections.abc import Iterable

import msgspec

from swather.model.run import Counts, counts_from


class ScraperTotals(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of all runs of a scraper that are still there, and by class the errors of their
    attempts, also of those that were tried again. `open_runs` have, or may still get, work;
    `paused_runs` are those of them that are paused.
    """

    scraper: str
    open_runs: int
    paused_runs: int
    counts: Counts
    errors: dict[str, int]


class RunTotals(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of one run."""

    run: str
    scraper: str
    counts: Counts


def totals_of(
    runs: Iterable[tuple[str, int, int]],
    counters: Iterable[tuple[str, str, int]],
    errors: Iterable[tuple[str, str, int]],
) -> list[ScraperTotals]:
    """From rows of (scraper, open, paused), (scraper, counter, n) and (scraper, class, n)."""
    sums: dict[str, dict[str, int]] = {}
    for scraper, name, n in counters:
        sums.setdefault(scraper, {})[name] = n
    failed: dict[str, dict[str, int]] = {}
    for scraper, error_class, n in errors:
        failed.setdefault(scraper, {})[error_class] = n
    return [
        ScraperTotals(
            scraper=scraper,
            open_runs=open_runs,
            paused_runs=paused,
            counts=counts_from(sums.get(scraper, {})),
            errors=failed.get(scraper, {}),
        )
        for scraper, open_runs, paused in runs
    ]


def open_totals_of(rows: Iterable[tuple[str, str, str | None, int | None]]) -> list[RunTotals]:
    """From rows of (run, scraper, counter, n), those of a run together."""
    sums: dict[tuple[str, str], dict[str, int]] = {}
    for run, scraper, name, n in rows:
        counters = sums.setdefault((run, scraper), {})
        if name is not None and n is not None:
            counters[name] = n
    return [
        RunTotals(run=run, scraper=scraper, counts=counts_from(counters))
        for (run, scraper), counters in sums.items()
    ]
