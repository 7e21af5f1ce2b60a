"""Which code a scraper has: changed when its version or its file is."""

import inspect
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from swather.scraping.scraper import Scraper


class CodeVersions:
    """The code versions of scrapers by name, each read when it is first asked for."""

    def __init__(self, scrapers: Mapping[str, Scraper]) -> None:
        self._scrapers = scrapers
        self._known: dict[str, str] = {}

    def of(self, name: str) -> str:
        """'' for a scraper that is not known."""
        if name not in self._known:
            scraper = self._scrapers.get(name)
            self._known[name] = "" if scraper is None else code_version(scraper)
        return self._known[name]


def code_version(scraper: Scraper) -> str:
    """The same for the same `version` and the same contents of the file it is defined in."""
    if scraper.site is not None:
        code = scraper.site.text.encode()
    else:
        code = _code(inspect.unwrap(scraper.function))
    text = scraper.options.version.encode() + b"\0" + code
    return sha256(text).hexdigest()[:16]


def _code(function: Callable[..., Any]) -> bytes:
    try:
        return Path(inspect.getsourcefile(function) or "").read_bytes()
    except (OSError, TypeError):
        # Typed in a shell or a notebook.
        code = getattr(getattr(function, "scrape", function), "__code__", None)
        return b"" if code is None else bytes(code.co_code) + repr(code.co_consts).encode()
