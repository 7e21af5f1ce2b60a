"""A fixture: the pages that a scraper was given for one target, in a file that people can read.

{
  "swather_fixture": 1,
  "scraper": "books",
  "target": "https://books.example/",
  "pages": [
    {
      "method": "GET",
      "url": "https://books.example/",
      "status": 200,
      "headers": [["content-type", "text/html"]],
      "text": ["<h1>Books</h1>", "<p>…</p>"]
    }
  ]
}

A page's `text` has its lines; other content has its bytes as `base64` instead. Text that is not
UTF-8 names its `encoding`, a page that was reached by a redirect its `final_url`, a request with a
body that body's `body_sha256`.
"""

import base64
import json
import re
import textwrap
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec

from swather.errors import InputError
from swather.net.page import Page
from swather.net.request import Request
from swather.net.stored_page import stored_page_url, without_password, without_secrets

FORMAT: Final = 1
_BASE64_COLUMNS: Final = 96
_NOT_TEXT: Final = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")


class RecordedPage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One request and the page it brought, as the file has them."""

    method: str = "GET"
    url: str
    body_sha256: str | None = None
    final_url: str | None = None
    status: int = 200
    headers: list[tuple[str, str]] = []
    text: list[str] | None = None
    encoding: str = "utf-8"
    base64: list[str] | None = None

    @property
    def page(self) -> Page:
        return Page(
            url=self.final_url or self.url,
            status=self.status,
            raw_headers=self.headers,
            content=self._content(),
        )

    def _content(self) -> bytes:
        if self.text is not None:
            return "\n".join(self.text).encode(self.encoding)
        return base64.b64decode("".join(self.base64 or []), validate=True)


class Fixture(msgspec.Struct, frozen=True, kw_only=True):
    """What a fixture file holds."""

    swather_fixture: int = FORMAT
    scraper: str = ""
    target: Any = None
    pages: list[RecordedPage] = []


def record_page(request: Request, page: Page) -> RecordedPage:
    """A page to record, without secrets in its headers."""
    url, final_url = stored_page_url(request), without_password(page.url)
    lines, encoding = _lines_of(page)
    return RecordedPage(
        method=request.method.upper(),
        url=url,
        body_sha256=body_hash(request),
        final_url=None if final_url == url else final_url,
        status=page.status,
        headers=without_secrets(page.raw_headers),
        text=lines,
        encoding=encoding,
        base64=None if lines is not None else _base64_of(page.content),
    )


def body_hash(request: Request) -> str | None:
    """A form may hold a password, so a fixture has only its hash."""
    return None if request.body is None else sha256(request.body).hexdigest()


def save(path: Path | str, fixture: Fixture) -> None:
    """Write the file; a file that is not a fixture is not overwritten."""
    path = Path(path)
    check_writable(path)
    data = msgspec.to_builtins(fixture)
    data["pages"] = [{"method": page.method, **msgspec.to_builtins(page)} for page in fixture.pages]
    try:
        path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"the fixture cannot be written to {path}: {error}") from error


def read(path: Path | str) -> Fixture:
    """The fixture in a file; InputError says what is wrong with it."""
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(f"the fixture {path} cannot be read: {error}") from error
    try:
        found = msgspec.json.decode(content, type=Fixture)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise InputError(f"{path} is not a fixture: {error}") from error
    if b'"swather_fixture"' not in content:
        raise InputError(f"{path} is not a fixture: it has no member 'swather_fixture'")
    if found.swather_fixture != FORMAT:
        raise InputError(
            f"the fixture {path} has format {found.swather_fixture}, "
            f"this release reads format {FORMAT}; save it again with `swather try --save-fixture`"
        )
    for page in found.pages:
        _check(path, page)
    return found


def check_writable(path: Path) -> None:
    """Raise now whatever would prevent writing the file later."""
    if not path.parent.is_dir():
        raise InputError(f"the fixture cannot be written: there is no folder {path.parent}")
    if path.is_dir():
        raise InputError(f"the fixture cannot be written: {path} is a folder")
    if path.exists() and path.stat().st_size:
        try:
            read(path)
        except InputError as error:
            raise InputError(f"{error}; it is not overwritten") from error


def _check(path: Path | str, page: RecordedPage) -> None:
    try:
        page._content()  # noqa: SLF001 - of the class above
    except (ValueError, LookupError) as error:
        raise InputError(f"{path} has a page that cannot be read, {page.url}: {error}") from error


def _lines_of(page: Page) -> tuple[list[str] | None, str]:
    """The content as lines that restore every byte, and their encoding; None when it is not
    readable text.
    """
    for encoding in _encodings(page):
        try:
            text = page.content.decode(encoding)
            if not _NOT_TEXT.search(text) and text.encode(encoding) == page.content:
                return text.split("\n"), encoding
        except (UnicodeError, LookupError):
            continue
    return None, "utf-8"


def _encodings(page: Page) -> Sequence[str]:
    named = re.search(
        r"charset\s*=\s*[\"']?([\w.:\-]+)", page.headers.get("content-type", ""), re.IGNORECASE
    )
    return ["utf-8", named[1]] if named else ["utf-8"]


def _base64_of(content: bytes) -> list[str]:
    return textwrap.wrap(base64.b64encode(content).decode(), _BASE64_COLUMNS)
