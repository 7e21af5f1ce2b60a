"""JSON-LD of a page: its blocks, and the objects in them."""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any, Final

from swather.scraping.site.ld_path import LdPath
from swather.scraping.site.match import Match
from swather.scraping.site.node import Node
from swather.scraping.site.schema_types import is_of_type
from swather.scraping.site.script_json import decoded

MAX_BYTES: Final = 5 << 20
MAX_NODES: Final = 200_000
_SELECTOR: Final = "script[type='application/ld+json' i]"
_OF_A_REFERENCE: Final = {"@id", "@type"}


class JsonLd:
    """What is in the blocks below a node. `note` is told what is not read; `whole` is that of the
    page, where what a row refers to may stand.
    """

    def __init__(
        self,
        blocks: list[Any],
        note: Callable[[str], None],
        whole: "Callable[[], JsonLd] | None" = None,
    ) -> None:
        self._blocks = blocks
        self._note = note
        self._whole = whole

    @classmethod
    def read(
        cls,
        node: Node,
        note: Callable[[str], None],
        whole: "Callable[[], JsonLd] | None" = None,
    ) -> "JsonLd":
        blocks, read_bytes = [], 0
        for element in node.css(_SELECTOR):
            text = script_text(element)
            read_bytes += len(text)
            if read_bytes > MAX_BYTES:
                note(f"more than {MAX_BYTES >> 20} MB of JSON-LD; the rest is not read")
                break
            try:
                blocks.append(decoded(text))
            except ValueError as error:
                note(f"a block of JSON-LD is not JSON: {error}")
            except RecursionError:
                note("a block of JSON-LD is nested too deeply, and not read")
        return cls(blocks, note, whole)

    def values(self, path: LdPath, *, of_all: bool = False) -> Iterator[Match]:
        """All texts, numbers and flags that a path leads to, in order. With a type, from the first
        object of it, since others are other things; or `of_all`.
        """
        starts: Iterable[Any]
        if not path.type:
            starts = (each for block in self._blocks for each in _outermost(block))
        elif of_all:
            starts = self.nodes(path.type)
        else:
            starts = self._first(path.type)
        return path.values(starts, self._resolved)

    def nodes(self, kind: str = "") -> Iterator[dict[str, Any]]:
        """All objects of a type, or of any, outer ones first."""
        waiting: list[Any] = list(reversed(self._blocks))
        seen = 0
        while waiting:
            each = waiting.pop()
            seen += 1
            if seen > MAX_NODES:
                self._note(f"more than {MAX_NODES:,} values of JSON-LD; the rest is not read")
                return
            if isinstance(each, list):
                waiting.extend(reversed(each))
            elif isinstance(each, dict):
                if (not kind or _is_a(each, kind)) and not _is_reference(each):
                    yield each
                waiting.extend(reversed(list(each.values())))

    def _resolved(self, value: Any) -> Any:
        """The object that a reference stands for, if it is on the page; else the value itself."""
        if isinstance(value, dict) and _is_reference(value):
            page = self if self._whole is None else self._whole()
            return page.by_id.get(value["@id"], value)
        return value

    def _first(self, kind: str) -> list[dict[str, Any]]:
        """What a page is about stands at its top; a product inside of another is a related one."""
        for block in self._blocks:
            for each in _outermost(block):
                if isinstance(each, dict) and _is_a(each, kind) and not _is_reference(each):
                    return [each]
        return list(islice(self.nodes(kind), 1))

    @cached_property
    def by_id(self) -> dict[str, dict[str, Any]]:
        """The objects that references name."""
        found: dict[str, dict[str, Any]] = {}
        for each in self.nodes():
            if isinstance(each.get("@id"), str):
                found.setdefault(each["@id"], each)
        return found


def _outermost(block: Any) -> Iterator[Any]:
    """The outermost objects of a block."""
    for each in block if isinstance(block, list) else [block]:
        if isinstance(each, dict) and isinstance(each.get("@graph"), list):
            yield from each["@graph"]
        else:
            yield each


def _is_reference(value: dict[str, Any]) -> bool:
    """Whether it only names an object that is described elsewhere."""
    return isinstance(value.get("@id"), str) and value.keys() <= _OF_A_REFERENCE


def _is_a(value: dict[str, Any], kind: str) -> bool:
    types = value.get("@type")
    names = types if isinstance(types, list) else [types]
    return any(isinstance(each, str) and is_of_type(each, kind) for each in names)


def script_text(element: Node) -> str:
    """The text of a script, which may be long."""
    inner = getattr(element, "element", None)
    text = "" if inner is None else getattr(inner, "text", None)
    return str(text(deep=True) if callable(text) else text or "")
