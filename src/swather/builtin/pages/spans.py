"""Pieces of Markdown: text, emphasis, links, code."""

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_SPACE: Final = re.compile(r"[ \t\r\n\f]+")
_SPECIAL: Final = re.compile(r"[\\`*\[\]<]|(?<!\w)_|_(?!\w)")
# What would make a heading, a list or a quotation of a line that begins with it.
_OPENING: Final = re.compile(r"(\d{1,9})?(#{1,6}(?!\S)|[-+](?!\S)|>|=+$|-+$|~~~|(?<=\d)[.)](?!\S))")
_LANGUAGE: Final = re.compile(r"\b(?:language|lang|highlight(?:-source)?)-([\w+#-]+)")
_BACKTICKS: Final = re.compile(r"`+")
EMPHASIS: Final = {"b": "**", "strong": "**", "i": "*", "em": "*", "del": "~~", "s": "~~"}


def collapsed(text: str) -> str:
    return _SPACE.sub(" ", text)


def escaped(text: str) -> str:
    """Text that must not be read as Markdown."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def line_of(text: str) -> str:
    """A line of a paragraph."""
    line = " ".join(text.split())
    opening = _OPENING.match(line)
    if opening is None:
        return line
    at = opening.start(2)
    return f"{line[:at]}\\{line[at:]}"


def marked(tag: str, text: str, href: str) -> str:
    """The text of an element within a paragraph."""
    if tag == "a":
        return f"[{text}]({href})" if href else text
    if sign := EMPHASIS.get(tag):
        return f"{sign}{text}{sign}"
    ticks = _more_than_in(text, 1)
    space = " " if "`" in text else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def fenced(node: "LexborNode") -> str:
    """A <pre> as a block of code, with its language if a class names one."""
    code = (node.text() or "").strip("\r\n").rstrip()
    if not code:
        return ""
    inner = node.css_first("code")
    classes = " ".join(
        each.attributes.get("class") or "" for each in (node, inner) if each is not None
    )
    named = _LANGUAGE.search(classes)
    fence = _more_than_in(code, 3)
    return f"{fence}{named[1] if named else ''}\n{code}\n{fence}"


def _more_than_in(text: str, least: int) -> str:
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)
