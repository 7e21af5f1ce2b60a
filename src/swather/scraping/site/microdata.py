"""Microdata of a page: the values of elements with an itemprop."""

from collections.abc import Iterator
from typing import Any, Final

from swather.scraping.site.node import CssNode, Node

# Where HTML puts the value of an element; the text of any other.
_ATTRIBUTES: Final = {
    "meta": "content", "a": "href", "area": "href", "link": "href", "img": "src", "audio": "src",
    "embed": "src", "iframe": "src", "source": "src", "track": "src", "video": "src",
    "object": "data", "data": "value", "meter": "value", "time": "datetime",
}  # fmt: skip
_MAX_DEPTH: Final = 500


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

    def values(self, node: Node) -> Iterator[str]:
        """The values below a node, in order."""
        for found in node.css(f'[itemprop~="{self.steps[-1]}"]'):
            if isinstance(found, CssNode) and self._is_here(found.element, _id_of(node)):
                yield _value(found)

    def _is_here(self, element: Any, top: int | None) -> bool:
        """Whether the items around an element are those of the path; `top` is the outermost one
        that counts.
        """
        scope = element
        for step in reversed(self.steps[:-1]):
            scope = _scope_around(scope, top)
            if scope is None or step not in (scope.attributes.get("itemprop") or "").split():
                return False
        outer = _scope_around(scope, top)
        if self.type:
            kinds = "" if outer is None else outer.attributes.get("itemtype") or ""
            return any(each.rpartition("/")[2] == self.type for each in kinds.split())
        # A value of a nested item, such as a product's brand, is not the outer item's.
        return outer is None or outer.mem_id == top or "itemprop" not in outer.attributes


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


def _value(node: CssNode) -> str:
    content = node.attribute("content")
    if content is not None:
        return content
    name = _ATTRIBUTES.get(node.element.tag)
    value = None if name is None else node.attribute(name)
    return node.text() if value is None else value
