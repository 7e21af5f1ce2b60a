"""A page as somebody sees it, and what was written down of what they did."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode
from starlette.testclient import TestClient

from swather.store import Store
from tests.api.conftest import READER

# What a database may hold where a name or a text belongs.
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202eevil"
_HIDDEN = re.compile(r'<input type="hidden" [^>]*>')


def seen(client: TestClient, address: str, *, status: int = 200) -> LexborHTMLParser:
    answer = client.get(address)
    assert answer.status_code == status, answer.text
    return LexborHTMLParser(answer.text)


def words(node: LexborNode | None) -> str:
    assert node is not None
    return " ".join(node.text(separator=" ").split())


def cells(row: LexborNode | None) -> dict[str, str]:
    """The cells of a row by the names that a phone shows."""
    assert row is not None
    return {str(cell.attributes["data-label"]): words(cell) for cell in row.css("[data-label]")}


def done(store: Store) -> list[tuple[str, str]]:
    """Verb and subject of each action, the oldest first."""
    return [(action.verb, action.subject) for action in reversed(store.actions.find())]


def assert_only_for_reading(client: TestClient, address: str) -> None:
    """All that changes something has the class that is hidden from readers."""
    client.headers["authorization"] = f"Bearer {READER}"
    page = seen(client, address)
    body = page.css_first("body")
    assert body is not None
    assert body.attributes["class"] == "reader"
    buttons = page.css("main form[method=post], main a[data-dialog]")
    assert buttons
    for each in buttons:
        node: LexborNode | None = each
        while node is not None and "act" not in (node.attributes.get("class") or "").split():
            node = node.parent
        assert node is not None, each.html


def assert_shown_as_text(client: TestClient, address: str) -> None:
    # Nobody sees a hidden field, and it has to name what is meant.
    text = _HIDDEN.sub("", client.get(address).text)
    assert "alert(1)" in text
    assert "<script>alert" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
