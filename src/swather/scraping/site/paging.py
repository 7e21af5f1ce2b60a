"""From one page of a list to the next."""

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final
from urllib.parse import parse_qsl, unquote_plus, urlencode, urlsplit, urlunsplit

from swather.masking import shown_url
from swather.model.key import normalise_url
from swather.net.page import join
from swather.scraping.site.sight import Place, Sight
from swather.scraping.site.ways import Way, found

MAX_PAGES: Final = 1_000


@dataclass(frozen=True, kw_only=True)
class Step:
    """A page of a list: its address and its number. `seen` has what was on a page before it, by
    which a list that goes in circles is known; `why` says why there is no such page.
    """

    url: str
    number: int = 1
    seen: tuple[str, ...] = ()
    why: str = ""

    def as_target(self, target: Any) -> dict[str, Any]:
        """The target of this page, for one that began with `target`."""
        fields = target if isinstance(target, dict) else {}
        return {**fields, "url": self.url, "page": self.number, "seen": list(self.seen)}

    @classmethod
    def of_target(cls, target: Any, url: str) -> "Step":
        if not isinstance(target, dict):
            return cls(url=url)
        number, seen = target.get("page"), target.get("seen")
        return cls(
            url=url,
            number=number if type(number) is int and number > 0 else 1,
            seen=tuple(map(str, seen)) if isinstance(seen, list) else (),
        )

    def has_seen(self, page_id: str) -> bool:
        """Whether a page before this one had the same rows."""
        return bool(page_id) and _digest(page_id) in self.seen

    def with_seen(self, page_id: str) -> "Step":
        """The same, knowing this page too. The first page is kept, since many sites show it again
        after the last; and the last one and one further back, which moves on at each power of two:
        a circle of any length is met, with three marks.
        """
        mark = _digest(page_id)
        first = self.seen[0] if self.seen else mark
        is_power = self.number & (self.number - 1) == 0
        anchor = mark if is_power or len(self.seen) < 2 else self.seen[1]
        return Step(url=self.url, number=self.number, seen=(first, anchor, mark))


@dataclass(frozen=True, kw_only=True)
class Paging:
    """How the next page is found. One of `next`, `parameter`, `cursor` and `load_more`."""

    next: tuple[Way, ...] = ()
    parameter: str | None = None
    first: int = 1
    step: int = 1
    cursor: tuple[Way, ...] = ()
    cursor_parameter: str | None = None
    load_more: str | None = None
    max_pages: int = MAX_PAGES
    other_hosts: bool = False

    @property
    def is_any(self) -> bool:
        return bool(self.next or self.parameter or self.cursor)

    def after(self, sight: Sight, step: Step) -> Step | None:
        """The next page; None at the end. A step with a `why` is one that is not taken."""
        try:
            url = self._url_after(sight, step)
        except _NoNumber as error:
            return Step(url=step.url, number=step.number + 1, why=str(error))
        if not url:
            return None
        following = Step(url=url, number=step.number + 1, seen=step.seen)
        why = self._why_not(sight, step, following)
        return following if not why else Step(url=url, number=following.number, why=why)

    def _url_after(self, sight: Sight, step: Step) -> str:
        place = Place(sight, sight.root)
        if self.next:
            link = found(self.next, place)
            return join(sight.base, str(link)) if link is not None else ""
        if self.parameter is not None:
            number = _number_in(step.url, self.parameter)
            now = self.first if number is None else number
            return _with(step.url, self.parameter, str(now + self.step))
        cursor = found(self.cursor, place)
        if cursor is None or self.cursor_parameter is None:
            return ""
        return _with(step.url, self.cursor_parameter, str(cursor))

    def _why_not(self, sight: Sight, step: Step, following: Step) -> str:
        if following.number > self.max_pages:
            return f"a list may have {self.max_pages:,} pages (pagination.max_pages)"
        if normalise_url(following.url) in {normalise_url(step.url), normalise_url(sight.page.url)}:
            return "the list goes in circles: the next page is this one"
        # A page that was asked for on one host may come from another: example.com, www.example.com.
        here = {_host(step.url), _host(sight.page.url)}
        if _host(following.url) not in here and not self.other_hosts:
            return (
                f"the next page, {shown_url(following.url)}, is on another host than "
                f"{_host(sight.page.url)}; pagination.other_hosts = true would follow it"
            )
        return ""


NO_PAGING: Final = Paging()


class _NoNumber(ValueError):
    """The URL has something else where the page's number belongs."""


def _host(url: str) -> str:
    return urlsplit(url).netloc.lower()


def _number_in(url: str, name: str) -> int | None:
    """The number of the page that a URL asks for; None if it names none."""
    given = [value for key, value in parse_qsl(urlsplit(url).query) if key == name]
    if not given:
        return None
    if not re.fullmatch(r"[0-9]{1,15}", given[-1]):
        raise _NoNumber(
            f"{name!r} in {shown_url(url)} is no number of a page: {given[-1][:80]!r} "
            "(pagination.parameter)"
        )
    return int(given[-1])


def _with(url: str, name: str, value: str) -> str:
    """A URL with one parameter set; the others stay as they are written."""
    parts = urlsplit(url)
    kept = [
        pair
        for pair in parts.query.split("&")
        if pair and unquote_plus(pair.partition("=")[0]) != name
    ]
    return urlunsplit(parts._replace(query="&".join([*kept, urlencode([(name, value)])])))


def _digest(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()[:16]
