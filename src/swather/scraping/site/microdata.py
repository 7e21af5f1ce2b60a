"""Microdata of a page: the values of elements with an itemprop."""

from collections.abc import Iterator
from typing import Any, Final

from swather.scraping.site.match import Match
from swather.scraping.site.node import CssNode, Node
from swather.scraping.site.schema_types import is_of_type

# Where HTML puts the value of an element; the text of any other.
_ATTRIBUTES: Final = {
    "meta": "content", "a": "href", "area": "href", "link": "href", "img": "src", "audio": "src",
    "embed": "src", "iframe": "src", "source": "src", "track": "src", "video": "src",
    "object": "data", "data": "value", "meter": "value", "time": "datetime",
}  # fmt: skip
_MAX_DEPTH: Final = 500
# No element has this number.
_NOWHERE: Final = -1
_PRICES: Final = ("price", "lowPrice", "highPrice")


class PropPath:
    """A path: a type, if its first step begins with a capital letter, then itemprops."""

    def __init__(self, text: str) -> None:
        steps = text.split(".")
        if not all(steps) or len(steps) > 20 or any(each in text for each in "\"'\\\n"):
            raise ValueError(f"expected names with a dot between them, got {text!r}")
        self.type = steps.pop(0) if steps[0][:1].isupper() else ""
        if not steps:
            raise ValueError(f"expected an itemprop after the type {self.type!r}")
        self.steps = steps

    def values(self, node: Node, *, of_all: bool = False) -> Iterator[Match]:
        """The values below a node, in order. With a type, from the first item of it, since others
        are other things; or `of_all`.
        """
        top = _id_of(node)
        first = None if of_all or not self.type else self._first(node)
        for found in node.css(f'[itemprop~="{self.steps[-1]}"]'):
            if isinstance(found, CssNode) and self._is_here(found.element, top, first):
                yield self._match(found, top)

    def _first(self, node: Node) -> int:
        """The first item of the type; one that stands alone comes before those inside of another
        item. A price inside of the second product is not that of the first one, which has none.
        """
        if self._is_typed(node.attribute("itemtype")):
            return _id_of(node) or _NOWHERE
        items = [each for each in node.css("[itemscope][itemtype]") if isinstance(each, CssNode)]
        own = [each for each in items if self._is_typed(each.attribute("itemtype"))]
        alone = [each for each in own if each.attribute("itemprop") is None]
        if alone or not own:
            return _id_of(alone[0]) or _NOWHERE if alone else _NOWHERE
        outer = _scope_around(own[0].element, _id_of(node))
        kind = None if outer is None else outer.attributes.get("itemtype")
        same = [each for each in items if each.attribute("itemtype") == kind]
        same = [each for each in same if each.attribute("itemprop") is None] or same
        is_of_first = not same or outer.mem_id == _id_of(same[0])
        return _id_of(own[0]) or _NOWHERE if is_of_first else _NOWHERE

    def _is_typed(self, kinds: str | None) -> bool:
        return any(is_of_type(each, self.type) for each in (kinds or "").split())

    def _is_here(self, element: Any, top: int | None, first: int | None) -> bool:
        """Whether the items around an element are those of the path; `top` is the outermost one
        that counts, and `first` the only one of the type, if it is not None.
        """
        scope = element
        for step in reversed(self.steps[:-1]):
            scope = _scope_around(scope, top)
            if scope is None or step not in (scope.attributes.get("itemprop") or "").split():
                return False
        outer = _scope_around(scope, top)
        if self.type:
            if outer is None or not self._is_typed(outer.attributes.get("itemtype")):
                return False
            return first is None or outer.mem_id == first
        # A value of a nested item, such as a product's brand, is not the outer item's.
        return outer is None or outer.mem_id == top or "itemprop" not in outer.attributes

    def _match(self, found: CssNode, top: int | None) -> Match:
        data = _data(found)
        if self.steps[-1] not in _PRICES:
            return Match(found.text() if data is None else data, is_data=data is not None)
        scope = _scope_around(found.element, top)
        return Match(
            found.text() if data is None else data,
            is_data=data is not None,
            currency="" if scope is None else _currency_in(scope),
            is_from=self.steps[-1] == "lowPrice",
        )


def _id_of(node: Node) -> int | None:
    return getattr(getattr(node, "element", None), "mem_id", None)


def _scope_around(element: Any, top: int | None) -> Any:
    if element.mem_id == top:
        return None
    above = element.parent
    for _ in range(_MAX_DEPTH):
        if above is None or "itemscope" in above.attributes:
            return above
        if above.mem_id == top:
            return None
        above = above.parent
    return None


def _data(node: CssNode) -> str | None:
    """What an element has for machines; None if it is its text that counts."""
    content = node.attribute("content")
    if content is not None:
        return content
    name = _ATTRIBUTES.get(node.element.tag)
    return None if name is None else node.attribute(name)


def _currency_in(scope: Any) -> str:
    """What an item says itself, and none of those inside of it."""
    for each in scope.css('[itemprop~="priceCurrency"]'):
        around = _scope_around(each, scope.mem_id)
        if around is None or around.mem_id == scope.mem_id:
            node = CssNode(each)
            return (_data(node) or node.text()).strip()
    return ""
