"""Writes what the reference and the guides take from the code: python -m tests.docs.reference.

A part stands between `<!-- its name -->` and `<!-- end -->`; the rest of a page is written by hand.
"""

import functools
import re
from pathlib import Path

from swather.api.metrics_families import FAMILIES as SERVER
from swather.scraping.site.schema import schema_text
from swather.worker.metrics import FAMILIES as WORKER
from tests.docs import parts
from tests.docs.blocks import ROOT

FOLDER = ROOT / "docs" / "reference"
GUIDES = ROOT / "docs" / "guides"
PARTS = {
    "commands": parts.commands,
    "commands that ask a server": parts.commands_of_a_server,
    "settings": parts.settings,
    "options": parts.options,
    "options of subtitles": functools.partial(parts.options_of, "subtitles"),
    "context": parts.context,
    "page": parts.page,
    "names": parts.names,
    "error tree": parts.error_tree,
    "errors": parts.errors,
    "fetch errors": parts.fetch_errors,
    "classes": parts.classes,
    "routes": parts.routes,
    "metrics of a server": functools.partial(parts.metrics, SERVER),
    "metrics of a worker": functools.partial(parts.metrics, WORKER),
}
_PART = re.compile(r"(<!-- (?!end)([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def pages() -> dict[Path, str]:
    paths = sorted([*FOLDER.glob("*.md"), *GUIDES.glob("*.md")])
    found = {path: rewritten(path.read_text()) for path in paths}
    return {**found, FOLDER / "site.schema.json": schema_text()}


def rewritten(text: str) -> str:
    return _PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]()}\n\n{found[3]}", text)


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text)
