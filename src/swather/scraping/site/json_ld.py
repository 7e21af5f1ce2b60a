"""JSON-LD of a page: its blocks, searched by paths such as 'Product.offers.price'."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from swather.scraping.site.node import Node

MAX_BYTES: Final = 5 << 20
MAX_NODES: Final = 200_000
_SELECTOR: Final = "script[type='application/ld+json' i]"


class JsonLd:
    """What is in the blocks below a node. `note` is told what is not read."""

    def __init__(self, blocks: list[Any], note: Callable[[str], None]) -> None:
        self._blocks = blocks
        self._note = note

    @classmethod
    def read(cls, node: Node, note: Callable[[str], None]) -> "JsonLd":
        blocks, read_bytes = [], 0
        for element in node.css(_SELECTOR):
            text = script_text(element)
            read_bytes += len(text)
            if read_bytes > MAX_BYTES:
                note(f"more than {MAX_BYTES >> 20} MB of JSON-LD; the rest is not read")
                break
            try:
                blocks.append(msgspec.json.decode(text.strip().rstrip(";")))
            except (msgspec.DecodeError, UnicodeError) as error:
                note(f"a block of JSON-LD is not JSON: {error}")
            except RecursionError:
                note("a block of JSON-LD is nested too deeply, and not read")
        return cls(blocks, note)

    def values(self, path: "LdPath") -> Iterator[Any]:
        """All texts, numbers and flags that a path leads to, in order."""
        starts = self.nodes(path.type) if path.type else iter(self._blocks)
        for start in starts:
            yield from path.values(start)

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
                if not kind or kind in _types(each):
                    yield each
                waiting.extend(reversed(list(each.values())))


class LdPath:
    """A path: a type, if its first step begins with a capital letter, then names of properties."""

    def __init__(self, text: str) -> None:
        self.text = text
        steps = text.split(".")
        if not all(steps) or len(steps) > 20:
            raise ValueError(f"expected names with a dot between them, got {text!r}")
        self.type = steps.pop(0) if steps[0][:1].isupper() else ""
        self.steps = steps

    def values(self, start: Any) -> Iterator[Any]:
        found: list[Any] = [start]
        if not self.type:
            found = list(_graph(start))
        for step in self.steps:
            found = [below for each in found for below in _below(each, step)][:MAX_NODES]
        for each in found:
            for one in each if isinstance(each, list) else [each]:
                if isinstance(one, str | int | float | bool):
                    yield one
                elif isinstance(one, dict) and isinstance(one.get("@value"), str | int | float):
                    yield one["@value"]
                elif isinstance(one, dict) and isinstance(one.get("name"), str):
                    # {"@type": "Brand", "name": "Acme"} stands for its name.
                    yield one["name"]


def _graph(block: Any) -> Iterator[Any]:
    """The outermost objects of a block."""
    for each in block if isinstance(block, list) else [block]:
        if isinstance(each, dict) and isinstance(each.get("@graph"), list):
            yield from each["@graph"]
        else:
            yield each


def _below(value: Any, step: str) -> Iterator[Any]:
    if isinstance(value, list):
        if step.isdecimal():
            yield from value[int(step[:6]) :][:1]
            return
        for each in value:
            if isinstance(each, dict) and step in each:
                yield each[step]
    elif isinstance(value, dict) and step in value:
        yield value[step]


def _types(node: dict[str, Any]) -> set[str]:
    kinds = node.get("@type")
    texts = kinds if isinstance(kinds, list) else [kinds]
    return {each.replace(":", "/").rpartition("/")[2] for each in texts if isinstance(each, str)}


def script_text(element: Node) -> str:
    """The text of a script, which may be long."""
    inner = getattr(element, "element", None)
    text = "" if inner is None else getattr(inner, "text", None)
    return str(text(deep=True) if callable(text) else text or "")
