"""A fetched page, read: its title, its text, where it leads."""

from typing import Final, NamedTuple

from swather.builtin.pages.links import Link, base_of, links_of, robots_rules
from swather.builtin.pages.markdown import markdown_of
from swather.net.page import Page

_HTML: Final = ("text/html", "application/xhtml+xml")
_OPENINGS: Final = (b"<!doctype html", b"<html")
_SNIFFED_BYTES: Final = 512


class Reading(NamedTuple):
    """What a page says; `text` is None when nothing of it is kept."""

    title: str = ""
    text: str | None = None
    links: tuple[Link, ...] = ()
    may_save: bool = True
    may_follow: bool = True


def read(page: Page, save: str) -> Reading:
    """Read HTML; an answer of any other kind is left as it is."""
    has_tree = is_html(page)
    rules = robots_rules(page, is_html=has_tree)
    if not has_tree:
        return Reading(may_save=rules.may_save, may_follow=False)
    base = base_of(page)
    text = None
    if rules.may_save and save == "markdown":
        text = markdown_of(page.tree, base)
    elif rules.may_save and save == "html":
        text = _storable(page.text)
    return Reading(_title_of(page), text, tuple(links_of(page, base)), *rules)


def is_html(page: Page) -> bool:
    """By its Content-Type; by how it begins, if it names none."""
    kind = page.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind:
        return kind in _HTML
    return page.content[:_SNIFFED_BYTES].lstrip().lower().startswith(_OPENINGS)


def _title_of(page: Page) -> str:
    """The <title>, else the first heading."""
    for selector in ("head > title", "h1"):
        if (element := page.css_first(selector)) is not None:
            text = " ".join(element.text().split())
            if text:
                return _storable(text)
    return ""


def _storable(text: str) -> str:
    """JSON in a database cannot hold NUL."""
    return text.replace("\0", "\ufffd")
