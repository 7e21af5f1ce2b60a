import re
from pathlib import Path

import pytest

from bench import page
from bench.bars import judge
from bench.figures import Figure, Measured
from bench.parts import PARTS
from bench.sections import SECTIONS

ROOT = Path(__file__).parents[2]
PIN = re.compile(
    r"[a-z0-9-]+(?:\[[a-z,]+\])?==[\w.]+(?: ; [^/]+)? \\|    --hash=sha256:\w{64}(?: \\)?"
)
MACHINE = {
    "fsync_ms": 0.5,
    "memory_gib": 24,
    "processor": "one",
    "processors": 2,
    "python": "3.11",
    "system": "Debian",
}


def measured(*figures: Figure, part: str = "fetch") -> Measured:
    taken_at = "2026-11-20T10:00:00+00:00"
    return Measured(part, "normal", taken_at, 1.0, list(figures), MACHINE, {"scrapy": "2.19"})


def rate(who: str, *values: float, kind: str = "peer") -> Figure:
    return Figure("fetch", who, kind, "pages/s", values)


def test_a_bar_is_held_against_the_best_of_a_peer():
    held = measured(
        rate("Swather, SQLite", 3_000.0, kind="ours"),
        rate("Scrapy", 200.0),
        rate("Scrapy, aiohttp handler", 400.0),
    )
    (bar,) = judge([held])
    assert (bar.measured, bar.ok) == ("7.50 times", False)


def test_the_median_counts():
    assert rate("Scrapy", 100.0, 900.0, 200.0).value == 200.0


def test_a_repeat_that_failed_is_not_hidden_by_the_median_of_the_others():
    figure = Figure("fetch", "Swather, SQLite", "ours", "pages/s", (3_000.0, 3_100.0), failed=1)
    (bar,) = judge([measured(figure)])
    assert not bar.ok
    assert bar.measured == "1 repeats failed"


def test_the_page_is_written_between_its_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "benchmarks.md"
    path.write_text("by hand\n<!-- figures -->\nold\n<!-- end -->\nby hand\n")
    monkeypatch.setattr(page, "PAGE", path)
    held = [measured(rate("Scrapy", 321.0, 330.0))]
    page.write(held, judge(held))
    page.write(held, judge(held))
    text = path.read_text()
    assert text.startswith("by hand\n<!-- figures -->\n")
    assert text.endswith("<!-- end -->\nby hand\n")
    assert "| Scrapy | 326 pages/s ± 1% |" in text
    assert "old" not in text


def test_every_part_has_its_section_on_the_page():
    assert {section.part for section in SECTIONS} == set(PARTS)


def test_the_page_has_the_marks():
    assert page.MARKS.search(page.PAGE.read_text())


def test_the_peers_are_pinned_with_hashes_and_nothing_else():
    lines = (ROOT / "bench" / "peers" / "requirements.txt").read_text().splitlines()
    strange = [
        line for line in lines if not line.lstrip().startswith("#") and not PIN.fullmatch(line)
    ]
    assert lines
    assert strange == []
