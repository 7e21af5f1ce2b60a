"""The bars: what Swather has to reach, as ratios within one run wherever that is possible."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.figures import Figure, Measured

ON = ("Swather, SQLite", "Swather, PostgreSQL")


@dataclass(frozen=True)
class Bar:
    """One figure, what it is compared with, and whether that is enough."""

    what: str
    measured: str
    bar: str
    ok: bool


Figures = dict[tuple[str, str], Figure]


def judge(parts: Sequence[Measured]) -> list[Bar]:
    figures = {(one.work, one.who): one for part in parts for one in part.figures}
    return [*_failures(figures), *(bar for rule in RULES for bar in rule(figures))]


def _fetch(figures: Figures) -> Iterator[Bar]:
    for who in ON:
        for peer, times in (("Scrapy", 10), ("Crawlee", 4)):
            yield from _ratio(figures, "fetch", who, peer, times)
        yield from _ratio(figures, "fetch", who, "bare wreq loop", 0.4)
        yield from _ratio(figures, "pages of 200 ms", who, "bare wreq loop", 0.97)


def _drain(figures: Figures) -> Iterator[Bar]:
    one = "drain, 1 process"
    yield from _ratio(figures, one, "Swather, PostgreSQL", "PgQueuer, PostgreSQL", 2)
    yield from _ratio(figures, one, "Swather, PostgreSQL", "raw SQL, PostgreSQL", 0.5)
    yield from _ratio(figures, one, "Swather, SQLite", "Huey, SQLite", 10)
    yield from _ratio(figures, "enqueue", "Swather, PostgreSQL", "PgQueuer, PostgreSQL", 1.1)
    yield from _ratio(figures, "enqueue", "Swather, SQLite", "Huey, SQLite", 20)


def _claim(figures: Figures) -> Iterator[Bar]:
    """The values on a shallow queue, the ratios on the deepest that was measured."""
    for who, limit in zip(ON, (1.0, 2.0), strict=True):
        yield from _at_most(figures, "claim of 10, 1,000 ready", who, limit)
        for pattern in (r"claim of 10, ([\d,]+) ready", r"claim of 10, ([\d,]+) lanes of 10"):
            deepest = _deepest(figures, who, pattern)
            base = figures.get((f"{deepest}: a queue of 1,000 beside it", who))
            if base and deepest:
                ratio = figures[deepest, who].value / base.value
                bar = f"≤ 1.5 times a queue of 1,000 ({base.value:.2f} ms)"
                yield Bar(f"{deepest}: {who}", f"{ratio:.2f} times", bar, ratio <= 1.5)


def _waiting(figures: Figures) -> Iterator[Bar]:
    for who in ON:
        yield from _at_most(figures, "enqueue to start, p50", who, 5.0)
        yield from _at_most(figures, "enqueue to start, p99", who, 20.0)
        yield from _at_most(figures, "idle worker", who, 0.5)
        if kept := figures.get(("targets of 0.5 s: kept", who)):
            told = f"{kept.value:.0f} % of its rate"
            yield Bar(f"a run that is watched: {who}", told, "≥ 90 %", kept.value >= 90)
        for (work, name), one in figures.items():
            if name == who and work.startswith("drain ") and work.endswith(": peak"):
                yield from _at_most(figures, work, who, 150.0)
            if name == who and work.endswith("last fifth over second"):
                yield Bar(f"{work}: {who}", f"{one.value:+.1f} MB", "≤ 16 MB", one.value <= 16)


def _scaling(figures: Figures) -> Iterator[Bar]:
    for who in ON:
        one = figures.get(("1 worker of 10 slots", who))
        eight = figures.get(("8 workers of 10 slots", who))
        if one and eight:
            share = eight.value / (8 * one.value)
            yield Bar(f"1 → 8 workers: {who}", f"{share:.0%} linear", "≥ 95 %", share >= 0.95)


def _kill(figures: Figures) -> Iterator[Bar]:
    for who in ON:
        yield from _at_most(figures, "unfinished after kill -9, default settings", who, 0.0)


def _subtitles(figures: Figures) -> Iterator[Bar]:
    """The rise of the memory is judged with that of other workers."""
    for who in ON:
        one = figures.get(("subtitles, 1 worker", who))
        five = figures.get(("subtitles, 5 workers", who))
        if one and five:
            times = five.value / one.value
            what = f"subtitles, 1 → 5 workers: {who}"
            yield Bar(what, f"{times:.2f} times", "≥ 4 times", times >= 4)


def _failures(figures: Figures) -> Iterator[Bar]:
    """A repeat of ours that came to nothing is a bar missed, whatever the others were."""
    for (work, who), one in figures.items():
        if one.kind == "ours" and one.failed:
            yield Bar(f"{work}: {who}", f"{one.failed} repeats failed", "none fails", False)


def _sources(figures: Figures) -> Iterator[Bar]:
    for who in ON:
        alone = figures.get(("5 sources, one by one", who))
        together = figures.get(("5 sources at once", who))
        if alone and together:
            times = alone.value / together.value
            bar = "≥ 4 times one by one"
            yield Bar(f"5 sources at once: {who}", f"{times:.2f} times", bar, times >= 4)


def _pictures(figures: Figures) -> Iterator[Bar]:
    for who in ON:
        for peer in ("img2dataset", "img2dataset, resize_mode=no"):
            yield from _ratio(figures, "pictures", who, peer, 1.5)


def _browser(figures: Figures) -> Iterator[Bar]:
    for program in ("chromium-headless-shell", "chromium"):
        work = f"render in {program}"
        for who in ON:
            # Whose pages share their cookies, too.
            yield from _ratio(figures, work, f"{who}, one session", "Crawlee", 1.5)
            yield from _ratio(figures, work, who, "bare Playwright, fresh contexts", 4)


def _browser_memory(figures: Figures) -> Iterator[Bar]:
    of = "300 targets in a browser"
    for who in ON:
        yield from _at_most(figures, f"{of}: processes left", who, 0.0)
        yield from _at_most(figures, f"{of}: Chromium, third hundred over second", who, 100.0)
        yield from _at_most(figures, f"{of}: the worker, third hundred over second", who, 30.0)


def _proxies(figures: Figures) -> Iterator[Bar]:
    for database in ("SQLite", "PostgreSQL"):
        named = f"named, {database}"
        yield from _ratio(figures, "through one proxy", f"of the pool, {database}", named, 0.8)


def _dashboard(figures: Figures) -> Iterator[Bar]:
    for who in ON:
        yield from _at_most(figures, "the slowest page", who, 200.0)
        yield from _at_most(figures, "pages not answered", who, 0.0)


RULES = (
    _fetch,
    _drain,
    _claim,
    _waiting,
    _scaling,
    _kill,
    _sources,
    _subtitles,
    _pictures,
    _browser,
    _browser_memory,
    _proxies,
    _dashboard,
)


def _ratio(figures: Figures, work: str, who: str, peer: str, times: float) -> Iterator[Bar]:
    """At least so many times as fast as the best of those whose name begins so."""
    ours = figures.get((work, who))
    others = [
        one
        for (other_work, name), one in figures.items()
        if other_work == work and (name == peer or name.startswith(f"{peer}, aiohttp"))
    ]
    if ours and others:
        best = max(others, key=lambda one: one.value)
        ratio = ours.value / best.value
        shown = f"{ratio:.2f} times" if times > 1 else f"{ratio:.0%}"
        bar = f"≥ {times:g} times {best.who}" if times > 1 else f"≥ {times:.0%} of {best.who}"
        yield Bar(f"{work}: {who}", shown, bar, ratio >= times)


def _at_most(figures: Figures, work: str, who: str, limit: float) -> Iterator[Bar]:
    if one := figures.get((work, who)):
        value = f"{one.value:.2f} {one.unit}"
        yield Bar(f"{work}: {who}", value, f"≤ {limit:g} {one.unit}", one.value <= limit)


def _deepest(figures: Figures, who: str, pattern: str) -> str:
    found = {
        int(match[1].replace(",", "")): work
        for work, name in figures
        if name == who and (match := re.fullmatch(pattern, work))
    }
    return found[max(found)] if found else ""
