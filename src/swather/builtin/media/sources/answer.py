"""Reads what a source answered: entries that are not as expected are skipped, never an error."""

from collections.abc import Collection
from math import ceil
from typing import Annotated, Any, Final, TypeVar

import msgspec

from swather.builtin.media.sources.source import Source, SourceFailed, SourceWeb, Wanted
from swather.net.errors import BadResponse
from swather.net.page import Page

T = TypeVar("T")
# What a file or page must have for an address, and what many fields have instead of a text.
Address = Annotated[str, msgspec.Meta(pattern=r"^https?://[^/\s]")]
Text = str | None

# A wider video is rarely worth its seconds.
_WIDE_ENOUGH: Final = 1920
_LOOKED_AT_CHARACTERS: Final = 200_000
_WALLS: Final = {
    "captcha": "a captcha",
    "unusual traffic": "a captcha",
    "/sorry/": "a captcha",
    "consent.": "a page that asks for consent",
    "enablejs": "a page that asks for JavaScript",
}


def read(source: Source, page: Page, kind: type[T]) -> T:
    """A JSON answer as the struct that the source's documentation describes."""
    try:
        return msgspec.convert(page.json(), kind, strict=False)
    except BadResponse:
        raise changed(source, "its answer is not JSON") from None
    except msgspec.ValidationError as error:
        raise changed(source, str(error)) from None


def usable(source: Source, web: SourceWeb, entries: Collection[Any], kind: type[T]) -> list[T]:
    """The entries that can be read; `layout_changed` if there are some and none can be."""
    found, problem = [], ""
    for entry in entries:
        try:
            found.append(msgspec.convert(entry, kind, strict=False))
        except msgspec.ValidationError as error:
            problem = str(error)
            web.skip(problem)
    if problem and not found:
        raise changed(source, f"none of its {len(entries)} results can be read: {problem}")
    return found


def changed(source: Source, what: str) -> SourceFailed:
    """The source does not look as it did when its adapter was written."""
    return SourceFailed(f"{source.name} has changed its layout: {what}", "layout_changed")


def invalid_key(source: Source, said: str = "") -> SourceFailed:
    """The source does not accept the key."""
    why = f": {said}" if said else ""
    return SourceFailed(
        f"{source.name} does not accept the key in {source.key_name}{why}", "invalid_key"
    )


def no_results_page(source: Source, page: Page) -> SourceFailed:
    """Why a search page has no results and does not say so either: it is a wall, or new."""
    looked_at = f"{page.url}\n{page.text[:_LOOKED_AT_CHARACTERS]}".lower()
    for sign, wall in _WALLS.items():
        if sign in looked_at:
            return SourceFailed(f"{source.name} shows {wall} instead of results", "blocked")
    return changed(source, "the page has no results, and does not say that there are none")


def page_numbers(wanted: Wanted, size: int) -> range:
    """From 1 to three times as many pages as would do if all they list were of use: a search for
    what a site does not have must not use up what it allows.
    """
    return range(1, 1 + 3 * ceil(wanted.limit / size))


def rank_of_width(width: int | None, wanted: Wanted) -> tuple[bool, int]:
    """Sorts the versions of a video, best first: the widest up to what is wide enough, then the
    narrowest of the others.
    """
    enough = max(_WIDE_ENOUGH, wanted.min_width)
    known = width or 0
    return (known > enough, abs(enough - known))
