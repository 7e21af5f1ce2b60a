"""What the shop has besides its books: orders behind a login, an API behind a token, a sitemap,
covers, a gallery, a page that needs JavaScript.

The name is ada, the password sesame, the token t0ken.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Final
from urllib.parse import parse_qs

from swather.testing.book import Book
from swather.testing.shop_arrivals import arrivals
from swather.testing.shop_gallery import gallery
from swather.testing.site import Answer, Asked, Route

_ORDERS: Final = 5
_ORDERS_PER_PAGE: Final = 3
_API_PAGE: Final = 100
_FORM: Final = """<h1>Log in</h1>
<form method="post" action="/login"><input type="hidden" name="csrf" value="c5rf">
<input name="user"><input name="password" type="password"><button>Log in</button></form>"""


def services(books: Sequence[Book]) -> Iterator[tuple[str, Route]]:
    yield "/login", _login
    yield "/account/orders", _orders_of(books)
    yield "/api/books", _api_of(books)
    yield "/sitemap.xml", _sitemap_of(books)
    yield from gallery()
    yield from arrivals(books)
    for book in books:
        yield book.cover, Answer(_drawn(book), headers={"Content-Type": "image/svg+xml"})


def _login(asked: Asked) -> str | Answer:
    sent = parse_qs(asked.body.decode())
    if sent == {"csrf": ["c5rf"], "user": ["ada"], "password": ["sesame"]}:
        member = {"Location": "/account/orders", "Set-Cookie": "member=ada; Path=/; HttpOnly"}
        return Answer("", 303, member)
    return _FORM


def _orders_of(books: Sequence[Book]) -> Callable[[Asked], Answer]:
    def answer(asked: Asked) -> Answer:
        if "member=ada" not in asked.headers.get("cookie", ""):
            return Answer("<h1>Members only</h1>", 401)
        at = (_page_of(asked) - 1) * _ORDERS_PER_PAGE
        rows = "".join(
            f'<tr class="order"><td>{book.number:04}</td><td>{escape(book.title)}</td></tr>'
            for book in books[:_ORDERS][at : at + _ORDERS_PER_PAGE]
        )
        following = f'<a rel="next" href="?page={_page_of(asked) + 1}">older</a>'
        more = following if at + _ORDERS_PER_PAGE < min(_ORDERS, len(books)) else ""
        return Answer(f'<a href="/logout">Log out</a><table>{rows}</table>{more}')

    return answer


def _api_of(books: Sequence[Book]) -> Callable[[Asked], Answer]:
    def answer(asked: Asked) -> Answer:
        if asked.headers.get("authorization") != "Bearer t0ken":
            return _json({"error": "no such token"}, 401)
        number = _page_of(asked)
        shown = books[(number - 1) * _API_PAGE : number * _API_PAGE]
        is_last = number * _API_PAGE >= len(books)
        return _json(
            {
                "books": [
                    {"id": book.number, "title": book.title, "price": book.price} for book in shown
                ],
                "next": None if is_last else f"/api/books?page={number + 1}",
            }
        )

    return answer


def _sitemap_of(books: Sequence[Book]) -> Callable[[Asked], Answer]:
    def answer(asked: Asked) -> Answer:
        site = f"http://{asked.headers['host']}"
        listed = "\n".join(
            f"<url><loc>{site}{book.path}</loc><lastmod>{book.changed_on}</lastmod></url>"
            for book in books
        )
        space = "http://www.sitemaps.org/schemas/sitemap/0.9"
        text = f'<?xml version="1.0"?>\n<urlset xmlns="{space}">\n{listed}\n</urlset>\n'
        return Answer(text, headers={"Content-Type": "application/xml"})

    return answer


def _page_of(asked: Asked) -> int:
    number = parse_qs(asked.query).get("page", ["1"])[0]
    return max(1, int(number)) if number.isdecimal() else 1


def _json(value: object, status: int = 200) -> Answer:
    return Answer(json.dumps(value), status, {"Content-Type": "application/json"})


def _drawn(book: Book) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="180">'
        f'<rect width="120" height="180" fill="hsl({book.number * 47 % 360} 40% 60%)"/>'
        f'<text x="8" y="90" font-size="9">{escape(book.title)}</text></svg>\n'
    )
