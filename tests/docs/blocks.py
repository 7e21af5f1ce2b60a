"""What a page holds: code blocks with the line each begins at, links, anchors."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


class Block(NamedTuple):
    language: str
    line: int
    text: str


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text()
    return [
        Block(match[1], text.count("\n", 0, match.start(2)) + 1, match[2])
        for match in _BLOCK.finditer(text)
    ]


def links_of(page: Path) -> list[str]:
    """Those to files of this repository, with their anchors."""
    prose = _BLOCK.sub("", page.read_text())
    return [link for link in _LINK.findall(prose) if "://" not in link]


def anchors_of(page: Path) -> set[str]:
    """The names that GitHub gives to a page's headings."""
    headings = _HEADING.findall(_BLOCK.sub("", page.read_text()))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
