"""Writes the figures into docs/benchmarks.md, between its marks; the rest is written by hand."""

import re
from collections.abc import Callable, Sequence

from bench.bars import Bar
from bench.figures import ROOT, Figure, Measured
from bench.sections import SECTIONS, Section
from bench.table import in_order, number

PAGE = ROOT / "docs" / "benchmarks.md"
MARKS = re.compile(r"(<!-- figures -->\n).*?(<!-- end -->)", re.DOTALL)


def write(parts: Sequence[Measured], bars: Sequence[Bar]) -> None:
    by_name = {one.part: one for one in parts}
    blocks = [_machine(parts), _bars(bars)]
    for section in SECTIONS:
        if held := by_name.get(section.part):
            blocks += _section(section, held)
    blocks.append(_versions(parts))
    made = "\n\n".join(block for block in blocks if block)
    page = PAGE.read_text()
    assert MARKS.search(page), f"{PAGE} has no marks"
    PAGE.write_text(MARKS.sub(lambda found: f"{found[1]}\n{made}\n\n{found[2]}", page))


def _machine(parts: Sequence[Measured]) -> str:
    about = parts[-1].machine
    sizes = sorted({one.size for one in parts})
    disks = sorted(one.machine["fsync_ms"] for one in parts)
    days = sorted({one.taken_at[:10] for one in parts})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    return _wrapped(
        f"Measured on {when} ({', '.join(sizes)} size) with {about['processors']} cores "
        f"({about['processor']}), {about['memory_gib']} GiB, {about['system']}, "
        f"Python {about['python']}; an fsync of 4 KB took {disks[0]} to {disks[-1]} ms (p50, part "
        f"by part)."
    )


def _bars(bars: Sequence[Bar]) -> str:
    rows = [(bar.what, bar.measured, bar.bar, "met" if bar.ok else "**missed**") for bar in bars]
    return f"## What it has to reach\n\n{_table(('what', 'measured', 'bar', ''), rows)}"


def _section(section: Section, held: Measured) -> list[str]:
    blocks = [f"## {section.title}", _wrapped(section.text)]
    if section.plot:
        blocks.append(f"![{section.title}](images/{section.plot}.png)")
    return [*blocks, _pivot(held, section.column)]


def _pivot(held: Measured, column: Callable[[str], str | None]) -> str:
    """Contenders down, works across."""
    figures = [one for one in in_order(held.figures) if column(one.work)]
    headings = list(dict.fromkeys(column(one.work) or "" for one in figures))
    cells: dict[str, dict[str, str]] = {}
    for one in figures:
        who = f"**{one.who}**" if one.kind == "ours" else one.who
        cells.setdefault(who, {})[column(one.work) or ""] = _cell(one)
    rows = [(who, *(held.get(name, "") for name in headings)) for who, held in cells.items()]
    return _table(("", *headings), rows)


def _cell(one: Figure) -> str:
    if one.unit.startswith("of "):
        return f"{one.value:.0f}"
    shown = f"{number(one.value)} {one.unit}"
    if len(one.values) > 1:
        shown += f" ± {one.spread / 2:.0%}"
    return f"{shown}, **{one.failed} repeats failed**" if one.failed else shown


def _versions(parts: Sequence[Measured]) -> str:
    found: dict[str, str] = {}
    for part in parts:
        found |= part.versions
    said = ", ".join(f"{name} {version}" for name, version in sorted(found.items(), key=_folded))
    return f"## Versions\n\n{_wrapped(said + '.')}"


def _folded(pair: tuple[str, str]) -> str:
    return pair[0].lower()


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    align = tuple("---" if not at else "---:" for at in range(len(header)))
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, align, *rows))


def _wrapped(text: str, width: int = 100) -> str:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) + 1 > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)
