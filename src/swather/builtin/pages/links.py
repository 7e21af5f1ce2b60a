"""The links of a page, and what the page says about following them."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from swather.builtin.pages.address import linked
from swather.net.page import Page, join
from swather.net.robots_rules import OWN_TOKEN

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# A <link> with one of these leads to a page; others name style sheets, icons and the like.
_PAGE_RELATIONS: Final = frozenset(
    {"alternate", "appendix", "author", "canonical", "chapter", "contents", "copyright", "first",
     "glossary", "help", "home", "index", "last", "license", "next", "prev", "previous", "search",
     "section", "start", "subsection", "toc", "top", "up"}
)  # fmt: skip
_ELEMENTS: Final = "a[href], area[href], frame[src], iframe[src], link[href], meta[http-equiv]"
# Nothing is given back once it is taken (`*+`): no text makes it try again and again.
_REFRESH: Final = re.compile(
    r"\s*+[\d.]*+\s*+[;,]?+\s*+url\s*+=\s*+(['\"]?+)(.*)", re.IGNORECASE | re.DOTALL
)
_NAME_OF_ROBOT: Final = re.compile(r"\s*([\w.*-]+)\s*:(.*)", re.DOTALL)
_FOR_US: Final = frozenset({OWN_TOKEN, "robots", "*"})
_RULES_WITH_VALUES: Final = frozenset({"unavailable_after", "max-snippet", "max-image-preview",
                                       "max-video-preview"})  # fmt: skip


class Link(NamedTuple):
    """Where a page leads, and whether its author lets robots follow."""

    url: str
    may_follow: bool


class RobotsRules(NamedTuple):
    """What a page asks of robots, or of this one: <meta name="robots">, <meta name="swather"> and
    the header X-Robots-Tag.
    """

    may_save: bool
    may_follow: bool


def base_of(page: Page) -> str:
    """What relative links start from: the first <base href>, else the page's own address."""
    element = page.css_first("base[href]")
    href = "" if element is None else element.attributes.get("href") or ""
    return join(page.url, href) or page.url


def links_of(page: Page, base: str) -> list[Link]:
    """Every http(s) address that the page leads to, once each, in order."""
    found: dict[str, bool] = {}
    for node in page.css(_ELEMENTS):
        if (href := _target_of(node)) and (url := linked(base, href)):
            found[url] = found.get(url, False) or "nofollow" not in _relations(node)
    return [Link(url, may_follow) for url, may_follow in found.items()]


def robots_rules(page: Page, *, is_html: bool) -> RobotsRules:
    said = set(_rules_in_header(page))
    for meta in page.css("meta[name][content]") if is_html else ():
        attributes = meta.attributes
        if (attributes.get("name") or "").strip().lower() in _FOR_US:
            said.update(_words(attributes.get("content") or ""))
    return RobotsRules(said.isdisjoint({"noindex", "none"}), said.isdisjoint({"nofollow", "none"}))


def _target_of(node: "LexborNode") -> str:
    attributes = node.attributes
    match node.tag:
        case "frame" | "iframe":
            return attributes.get("src") or ""
        case "link":
            leads_to_page = not _PAGE_RELATIONS.isdisjoint(_relations(node))
            is_page = "html" in (attributes.get("type") or "html").lower()
            is_style = "stylesheet" in _relations(node)
            return (
                attributes.get("href") or "" if leads_to_page and is_page and not is_style else ""
            )
        case "meta":
            if (attributes.get("http-equiv") or "").strip().lower() != "refresh":
                return ""
            return _refreshed(attributes.get("content") or "")
        case _:
            return attributes.get("href") or ""


def _refreshed(content: str) -> str:
    refresh = _REFRESH.match(content)
    if refresh is None:
        return ""
    quote, rest = refresh.groups()
    return rest.partition(quote)[0] if quote else rest


def _relations(node: "LexborNode") -> list[str]:
    return (node.attributes.get("rel") or "").lower().split()


def _rules_in_header(page: Page) -> Iterator[str]:
    """Rules for us, among 'noindex' and 'googlebot: noindex, nofollow, swather: none': a name holds
    until the next one, or the end of its header.
    """
    for value in page.headers.all("x-robots-tag"):
        are_for_us = True
        for rule in _words(value):
            named = _NAME_OF_ROBOT.match(rule)
            if named is None or named[1] in _RULES_WITH_VALUES:
                word = rule
            else:
                are_for_us = named[1] in _FOR_US
                word = named[2].strip()
            if are_for_us:
                yield word


def _words(text: str) -> list[str]:
    return [word.strip().lower() for word in text.split(",")]
