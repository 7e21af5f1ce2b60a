"""An element of a page, searched by CSS or by XPath."""

from copy import deepcopy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol

from swather.errors import MissingExtra

if TYPE_CHECKING:
    from swather.net.page import Page

MAX_TEXT_CHARACTERS: Final = 100_000
_DANGERS_OFF: Final = {"no_network": True, "huge_tree": False, "remove_pis": True}


class Node(Protocol):
    """What fields are read from."""

    def css(self, selector: str) -> "list[Node]": ...
    def xpath(self, expression: Any) -> "list[Node]": ...
    def text(self) -> str: ...
    def attribute(self, name: str) -> str | None: ...


class CssNode:
    """An element of the tree that CSS selectors search. To XPath it is a document of its own: '//b'
    is inside of it.
    """

    def __init__(self, element: Any) -> None:
        self.element = element

    def css(self, selector: str) -> list[Node]:
        return [CssNode(each) for each in self.element.css(selector)]

    def xpath(self, expression: Any) -> list[Node]:
        return _found(expression, self._as_lxml)

    def text(self) -> str:
        return str(self.element.text(separator=" "))[:MAX_TEXT_CHARACTERS]

    def attribute(self, name: str) -> str | None:
        attributes: dict[str, str | None] = self.element.attributes
        if name not in attributes:
            return None
        return (attributes[name] or "")[:MAX_TEXT_CHARACTERS]

    @cached_property
    def _as_lxml(self) -> Any:
        tree = _lxml_tree(self.element.html or "")
        return next(tree.iter(self.element.tag), tree)


class WholePage(CssNode):
    """A page as the node that everything on it is below."""

    def __init__(self, page: "Page") -> None:
        super().__init__(page.tree)
        self._page = page

    def text(self) -> str:
        body = self._page.tree.body
        return "" if body is None else CssNode(body).text()

    def attribute(self, name: str) -> str | None:  # noqa: ARG002 - a page has none
        return None

    @cached_property
    def _as_lxml(self) -> Any:
        return _lxml_tree(self._page.text)


class XPathNode:
    """An element of the tree that XPath searches; what is searched in it is a document of its own,
    as that of a `CssNode` is.
    """

    def __init__(self, element: Any) -> None:
        self.element = element

    def css(self, selector: str) -> list[Node]:
        return self._as_css.css(selector)

    def xpath(self, expression: Any) -> list[Node]:
        return _found(expression, self._alone)

    def text(self) -> str:
        return " ".join(self.element.itertext())[:MAX_TEXT_CHARACTERS]

    def attribute(self, name: str) -> str | None:
        value = self.element.get(name)
        return None if value is None else str(value)[:MAX_TEXT_CHARACTERS]

    @cached_property
    def _alone(self) -> Any:
        from lxml import html  # noqa: PLC0415

        tree = html.document_fromstring("<html><body></body></html>")
        copied = deepcopy(self.element)
        copied.tail = None
        tree.body.append(copied)
        return copied

    @cached_property
    def _as_css(self) -> CssNode:
        from lxml import html  # noqa: PLC0415
        from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415

        text = html.tostring(self.element, encoding="unicode", with_tail=False)
        return CssNode(LexborHTMLParser(text))


class TextNode:
    """A text that XPath found: of an attribute, or between elements."""

    def __init__(self, text: str) -> None:
        self._text = text

    def css(self, selector: str) -> list[Node]:  # noqa: ARG002 - nothing is below a text
        return []

    def xpath(self, expression: Any) -> list[Node]:  # noqa: ARG002 - the same
        return []

    def text(self) -> str:
        return self._text[:MAX_TEXT_CHARACTERS]

    def attribute(self, name: str) -> str | None:  # noqa: ARG002 - the same
        return None


def compiled_xpath(text: str) -> Any:
    """An XPath expression; ValueError if it is none, MissingExtra without lxml."""
    try:
        from lxml import etree  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra(
            "XPath needs a package that is not installed: pip install 'swather[xpath]'; CSS "
            "selectors need none"
        ) from error
    try:
        # Without Python's regular expressions, which have no time limit.
        return etree.XPath(text, regexp=False, smart_strings=False)
    except (etree.XPathSyntaxError, ValueError, UnicodeError) as error:
        raise ValueError(str(error)) from error


def _lxml_tree(text: str) -> Any:
    from lxml import html  # noqa: PLC0415

    # Entities of a document type are not read from HTML; nothing else is loaded either.
    parser = html.HTMLParser(encoding="utf-8", **_DANGERS_OFF)
    content = text.encode("utf-8", "replace")
    return html.document_fromstring(content or b"<html></html>", parser=parser)


def _found(expression: Any, element: Any) -> list[Node]:
    from lxml import etree  # noqa: PLC0415

    try:
        found = expression(element)
    except etree.XPathError:
        return []
    if not isinstance(found, list):
        return [TextNode(_as_text(found))]
    return [
        TextNode(each) if isinstance(each, str) else XPathNode(each)
        for each in found
        if isinstance(each, str) or isinstance(each.tag, str)
    ]


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)
