"""The code blocks of a page, with the line each begins at."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


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
