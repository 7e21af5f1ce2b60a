"""Reads a site file."""

import os
import re
import tomllib
from pathlib import Path
from typing import Any, Final

from swather.errors import LoadError
from swather.scraping.site.building import Builder
from swather.scraping.site.checking import check
from swather.scraping.site.problems import Problems
from swather.scraping.site.schema import SCHEMA
from swather.scraping.site.site import Site

SUFFIX: Final = ".toml"
MAX_BYTES: Final = 1 << 20
_LINE: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_UNNAMED: Final = "site"


def load(source: str | os.PathLike[str]) -> Site:
    """The site that a file describes, or a text with lines. LoadError lists all that is wrong, each
    with its line.
    """
    if isinstance(source, str) and "\n" in source:
        return loads(source)
    path = Path(source)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise LoadError(f"{path} has more than {MAX_BYTES >> 20} MB; a site file is shorter")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LoadError(f"{path} is not a text in UTF-8: {error}") from error
    except (OSError, ValueError) as error:
        if isinstance(error, LoadError):
            raise
        raise LoadError(f"the site file {path} cannot be read: {error}") from error
    return loads(text, path)


def loads(text: str, path: Path | None = None) -> Site:
    """The same, of the text of a file."""
    problems = Problems(_UNNAMED if path is None else str(path), text)
    table = _parsed(text, problems)
    problems.raise_any()
    check(problems, table, SCHEMA)
    # What is built takes for granted what the schema promises.
    problems.raise_any()
    name = table.get("name") or (_UNNAMED if path is None else _name_of(path))
    file = None if path is None else str(path.resolve())
    site = Builder(table, problems).site(name, text, file)
    problems.raise_any()
    return site


def _parsed(text: str, problems: Problems) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _LINE.search(str(error))
        line = int(found[1]) if found and found[1] else text.count("\n") + 1
        problems.add_line(line, f"not TOML: {_LINE.sub('', str(error))}")
    except (RecursionError, ValueError) as error:
        problems.add_line(1, f"not TOML that can be read: {error}")
    return {}


def _name_of(path: Path) -> str:
    """The name of a file, as that of a scraper."""
    return re.sub(r"[^A-Za-z0-9_.\-]", "_", path.stem)[:100] or _UNNAMED
