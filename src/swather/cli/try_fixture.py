"""The fixture that `swather try` saves, and the test that it suggests."""

import json
import re
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from swather.net.fetcher import Fetcher
    from swather.net.page import Page
    from swather.net.request import Request
    from swather.scraping.scraper import Scraper
    from swather.testing import Scraped
    from swather.testing.fixture_pages import Recorder

_ITEM_COLUMNS: Final = 80
_LONG_ITEM: Final = 500


class Saving:
    """Takes down what one target brings; the file is checked before anything is fetched."""

    def __init__(self, path: Path, scraper: "Scraper", target: Any, params: dict[str, Any]) -> None:
        from swather.testing import fixture

        fixture.check_writable(path)
        self._name = str(path)
        self._path = path.absolute()
        self._scraper = scraper
        self._target = target
        self._params = params
        self._recorder: Recorder | None = None

    def around(self, fetcher: "Fetcher") -> "Recorder":
        from swather.testing.fixture_pages import Recorder

        self._recorder = Recorder(fetcher)
        return self._recorder

    def record(self, request: "Request", page: "Page") -> None:
        """A page that the browser has rendered."""
        assert self._recorder is not None
        self._recorder.record(request, page)

    def save(self, scraped: "Scraped | None") -> dict[str, Any]:
        """Write what came, also when the scraper could make nothing of it."""
        from swather.testing import fixture

        assert self._recorder is not None
        pages = self._recorder.pages
        found = fixture.Fixture(scraper=self._scraper.name, target=self._target, pages=pages)
        fixture.save(self._path, found)
        return {
            "path": self._name,
            "pages": len(pages),
            "bytes": self._path.stat().st_size,
            "test": self._test(scraped),
        }

    def _test(self, scraped: "Scraped | None") -> str:
        imported, name = _import_of(self._scraper)
        arguments = [name, _python(self._target)]
        if self._params:
            arguments.append(f"params={_python(self._params)}")
        arguments.append(f"fixture={_python(self._name)}")
        call = f"run_scraper({', '.join(arguments)})"
        asserts = ["assert scraped.items"] if scraped is None else _asserts_of(scraped)
        return "\n".join(
            [
                "from swather.testing import run_scraper",
                "",
                imported,
                "",
                "",
                f"def test_{re.sub(r'[^a-z0-9]+', '_', self._scraper.name.lower())}():",
                f"    scraped = {call}",
                *(f"    {line}" for line in asserts),
            ]
        )


def _import_of(scraper: "Scraper") -> tuple[str, str]:
    """The line by which a test imports it, and what it calls it then; a file lies where the tests
    find it.
    """
    if scraper.site is not None:
        call = f"scraper_of(load({Path(scraper.spec).name!r}))"
        return "from swather.scraping.site import load, scraper_of", call
    source = scraper.spec.rpartition(":")[0]
    module = Path(source).stem if source.endswith(".py") else source
    name = scraper.function.__name__
    return f"from {module} import {name}", name


def _asserts_of(scraped: "Scraped") -> list[str]:
    lines = [f"assert len(scraped.items) == {len(scraped.items)}"]
    if scraped.items and len(_python(scraped.items[0])) <= _LONG_ITEM:
        first = pformat(scraped.items[0], width=_ITEM_COLUMNS, sort_dicts=False)
        lines += f"assert scraped.items[0] == {first}".splitlines()
    if scraped.children:
        lines.append(f"assert len(scraped.targets) == {len(scraped.children)}")
    return lines


def _python(value: Any) -> str:
    """A value as Python writes it, texts in double quotes."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return repr(value)
