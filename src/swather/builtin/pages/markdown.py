"""HTML as Markdown: headings, paragraphs, lists, links, code, tables, the text of images."""

import re
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from swather.builtin.pages.address import linked
from swather.builtin.pages.spans import (
    EMPHASIS,
    collapsed,
    escaped,
    fenced,
    line_of,
    marked,
)
from swather.builtin.pages.table import Cell, table_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_SKIPPED: Final = frozenset(
    {"audio", "button", "canvas", "datalist", "embed", "head", "iframe", "input", "math", "noembed",
     "noframes", "noscript", "object", "option", "script", "select", "style", "svg", "template",
     "textarea", "video"}
)  # fmt: skip
_BLOCKS: Final = frozenset(
    {"address", "article", "aside", "body", "caption", "center", "dd", "details", "dialog", "div",
     "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "legend",
     "main", "nav", "p", "section", "summary", "tbody", "tfoot", "thead"}
)  # fmt: skip
_HEADINGS: Final = {f"h{level}": "#" * level for level in range(1, 7)}
_LISTS: Final = frozenset({"ul", "ol", "menu", "dir"})
_FRAMES: Final = frozenset({*_HEADINGS, *_LISTS, "li", "blockquote", "table", "tr", "td", "th"})
_CODE: Final = frozenset({"code", "kbd", "samp", "tt"})
_MARKS: Final = frozenset({*EMPHASIS, *_CODE, "a"})
_A_LIST: Final = re.compile(r"- |\d+\. ")
# Further to the right a cell is one column, whatever it says.
_MAX_COLUMNS: Final = 100
# What is nested deeper is a paragraph like any other.
_MAX_DEPTH: Final = 50


def markdown_of(tree: "LexborHTMLParser", base: str) -> str:
    """The body of a page; its links are absolute, from `base`."""
    body = tree.body
    return "" if body is None else _Writer(base).written(body)


class _Kind(Enum):
    """How an element is written, which decides what its end means."""

    SKIPPED = auto()
    PLAIN = auto()
    BLOCK = auto()
    MARK = auto()
    FRAME = auto()


class _Frame:
    """A part of the page that is rewritten when it is complete: a list, an item, a cell …"""

    def __init__(self, tag: str, number: int = 1) -> None:
        self.tag = tag
        self.number = number
        self.blocks: list[str] = []
        self.inline: list[str] = []
        self.cells: list[Cell] = []
        self.rows: list[list[Cell]] = []

    def add_block(self, text: str) -> None:
        if text:
            self.blocks.append(text)


class _Mark:
    """An open element within a paragraph; `start` is where in it the element begins."""

    def __init__(self, tag: str, href: str, start: int) -> None:
        self.tag = tag
        self.href = href
        self.start = start


class _Writer:
    """Walks through the elements without recursion: pages are nested as deep as they like."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._frames = [_Frame("body")]
        self._marks: list[_Mark] = []
        self._hides = False

    def written(self, body: "LexborNode") -> str:
        self._hides = body.css_first("[hidden]") is not None
        waiting: list[tuple[LexborNode, _Kind | None]] = [(body, None)]
        while waiting:
            node, entered_as = waiting.pop()
            if entered_as is not None:
                self._leave(node, entered_as)
            elif node.tag == "-text":
                self._add_text(node.text_content or "")
            elif (kind := self._enter(node)) is not _Kind.SKIPPED:
                if kind is not _Kind.PLAIN:
                    waiting.append((node, kind))
                children = [(child, None) for child in node.iter(include_text=True)]
                waiting += reversed(children)
        self._end_paragraph()
        return "\n\n".join(self._frames[0].blocks).replace("\0", "\ufffd")

    def _enter(self, node: "LexborNode") -> _Kind:
        tag = node.tag or ""
        if tag in _SKIPPED or (self._hides and "hidden" in node.attributes):
            return _Kind.SKIPPED
        if tag == "br":
            self._frames[-1].inline.append("\n")
        elif tag == "hr":
            self._add_block("---")
        elif tag == "img":
            self._add_image(node)
        elif tag == "pre":
            self._add_block(fenced(node))
            return _Kind.SKIPPED
        elif tag in _FRAMES and len(self._frames) < _MAX_DEPTH:
            self._end_paragraph()
            self._frames.append(_Frame(tag, _number(node, "start") if tag == "ol" else 1))
            return _Kind.FRAME
        elif tag in _MARKS and len(self._marks) < _MAX_DEPTH:
            href = self._address(node.attributes.get("href")) if tag == "a" else ""
            self._marks.append(_Mark(tag, href, len(self._frames[-1].inline)))
            return _Kind.MARK
        elif tag in _BLOCKS or tag in _FRAMES:
            self._end_paragraph()
            return _Kind.BLOCK
        return _Kind.PLAIN

    def _leave(self, node: "LexborNode", kind: _Kind) -> None:
        match kind:
            case _Kind.FRAME:
                self._end_paragraph()
                self._close(self._frames.pop(), node)
            case _Kind.MARK:
                self._wrap(self._marks.pop())
            case _Kind.BLOCK:
                self._end_paragraph()

    def _close(self, frame: _Frame, node: "LexborNode") -> None:
        outer = self._frames[-1]
        match frame.tag:
            case "li":
                outer.add_block(_item_of(frame, outer))
            case "blockquote":
                lines = "\n\n".join(frame.blocks).splitlines()
                outer.add_block("\n".join(f"> {line}".rstrip() for line in lines))
            case "td" | "th":
                more = min(_number(node, "colspan"), _MAX_COLUMNS - len(outer.cells)) - 1
                outer.cells += [frame.blocks, *[[]] * more]
            case "tr":
                outer.rows.append(frame.cells)
            case "table":
                outer.blocks += [*frame.blocks, *table_of(frame.rows)]
            case tag if tag in _LISTS:
                outer.add_block("\n".join(frame.blocks))
            case tag:
                text = " ".join(" ".join(frame.blocks).split())
                outer.add_block(f"{_HEADINGS[tag]} {text}" if text else "")

    def _add_text(self, text: str) -> None:
        text = collapsed(text)
        self._frames[-1].inline.append(text if self._is_in_code() else escaped(text))

    def _add_block(self, text: str) -> None:
        self._end_paragraph()
        self._frames[-1].add_block(text)

    def _add_image(self, node: "LexborNode") -> None:
        words = " ".join((node.attributes.get("alt") or "").split())
        if words:
            source = self._address(node.attributes.get("src"))
            text = f"![{escaped(words)}]({source})" if source else escaped(words)
            self._frames[-1].inline.append(text)

    def _address(self, href: str | None) -> str:
        """As it may stand in parentheses; '' for a link that leads to no other page."""
        if href is None or href.lstrip().startswith("#"):
            return ""
        return linked(self._base, href).replace("(", "%28").replace(")", "%29")

    def _wrap(self, mark: _Mark) -> None:
        inline = self._frames[-1].inline
        text = "".join(inline[mark.start :])
        inner = text.strip(" \n")
        if inner and not self._is_in_code(besides=mark):
            before, _, after = text.partition(inner)
            text = f"{before}{marked(mark.tag, inner, mark.href)}{after}"
        inline[mark.start :] = [text]

    def _is_in_code(self, besides: _Mark | None = None) -> bool:
        marks = self._marks
        return bool(marks) and any(mark.tag in _CODE for mark in marks if mark is not besides)

    def _end_paragraph(self) -> None:
        """Open marks continue in the next paragraph."""
        frame = self._frames[-1]
        if not frame.inline:
            return
        for mark in reversed(self._marks):
            self._wrap(mark)
            mark.start = 0
        lines = map(line_of, "".join(frame.inline).split("\n"))
        frame.inline = []
        frame.add_block("  \n".join(lines).strip())


def _item_of(frame: _Frame, outer: _Frame) -> str:
    bullet = "- "
    if outer.tag == "ol":
        bullet = f"{outer.number}. "
        outer.number += 1
    is_tight = all(map(_A_LIST.match, frame.blocks[1:]))
    lines = ("\n" if is_tight else "\n\n").join(frame.blocks).splitlines()
    indent = " " * len(bullet)
    item = "\n".join(f"{indent}{line}" if line else "" for line in lines)
    return bullet + item.removeprefix(indent) if lines else ""


def _number(node: "LexborNode", name: str) -> int:
    text = node.attributes.get(name) or ""
    return max(int(text), 1) if text.isascii() and text.isdigit() and len(text) < 10 else 1
