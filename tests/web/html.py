"""A page as tests read it."""

from typing import Any

from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient


class Read:
    """What a page says, found by CSS."""

    def __init__(self, html: str) -> None:
        self.html = html
        self._tree = LexborHTMLParser(html)
        for title in self._tree.css("svg title"):
            title.decompose()

    def texts(self, css: str) -> list[str]:
        return [" ".join(node.text().split()) for node in self._tree.css(css)]

    def text(self, css: str) -> str:
        (found,) = self.texts(css)
        return found

    def attributes(self, css: str, name: str) -> list[str]:
        return [node.attributes.get(name) or "" for node in self._tree.css(css)]

    def rows(self, css: str = "tbody tr") -> list[list[str]]:
        return [
            [" ".join(cell.text().split()) for cell in row.css("th, td")]
            for row in self._tree.css(css)
        ]


def read(client: TestClient, address: str, *, status: int = 200, **given: Any) -> Read:
    answer = client.get(address, headers={"accept": "text/html"}, **given)
    assert answer.status_code == status, answer.text
    return Read(answer.text)
