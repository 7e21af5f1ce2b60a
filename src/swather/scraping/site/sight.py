"""A page while its fields are read: what is parsed once, what may still be spent, what to say."""

from collections import Counter
from functools import cached_property
from typing import Any, Final

from swather.net.page import Page
from swather.scraping.site.json_ld import JsonLd
from swather.scraping.site.node import Node, WholePage
from swather.scraping.site.patterns import Budget

MAX_NOTES: Final = 20


class Sight:
    """Of one page, for one attempt."""

    def __init__(self, page: Page, target: Any = None) -> None:
        self.page = page
        self.target = target
        self.budget = Budget()
        self._notes: Counter[str] = Counter()

    @cached_property
    def root(self) -> Node:
        return WholePage(self.page)

    @cached_property
    def base(self) -> str:
        return self.page.url if self.page.is_pdf else self.page.base

    @cached_property
    def json_ld(self) -> JsonLd:
        """That of the whole page."""
        return JsonLd.read(self.root, self.note)

    def note(self, text: str) -> None:
        """Something that a person should know; the same is said once, with how often it was."""
        if text in self._notes or len(self._notes) < MAX_NOTES:
            self._notes[text] += 1

    @property
    def notes(self) -> list[str]:
        return [f"{text} ({n:,} times)" if n > 1 else text for text, n in self._notes.items()]


class Place:
    """What fields are read from: the whole page, one row of it, or one object of its JSON-LD."""

    def __init__(self, sight: Sight, node: Node | None = None, data: Any = None) -> None:
        self.sight = sight
        self.node = node
        self.data = data

    @cached_property
    def json_ld(self) -> JsonLd:
        if self.data is not None:
            return JsonLd([self.data], self.sight.note, self._of_page)
        if self.node is self.sight.root or self.node is None:
            return self.sight.json_ld
        return JsonLd.read(self.node, self.sight.note, self._of_page)

    def _of_page(self) -> JsonLd:
        return self.sight.json_ld
