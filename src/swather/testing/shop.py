"""The demo's shop: a web site of books, as helpful and as unreliable as sites are.

Its pages are built like those of books.toscrape.com, a site made for practice, so that a scraper of
the one works on the other.
"""

from collections.abc import Iterator
from html import escape
from random import Random
from typing import Final

from swather.testing.book import Book
from swather.testing.shop_services import services
from swather.testing.site import Answer, Asked, FakeSite, Route

BOOKS: Final = 480
PER_PAGE: Final = 20
CATEGORIES: Final = (
    "Travel", "Mystery", "Poetry", "History", "Science", "Fiction", "Cooking", "Music", "Gardens",
    "Ships", "Children", "Philosophy",
)  # fmt: skip
_FIRST: Final = ("A Short", "The Last", "A Quiet", "The Great", "My", "Our", "The Lost", "A Winter")
_SECOND: Final = ("History", "Summer", "Garden", "Voyage", "Secret", "Letter", "Journey", "Harvest")
_THIRD: Final = ("of Bread", "at Sea", "in Blue", "of the North", "without Maps", "by Lamplight")
_RATINGS: Final = ("One", "Two", "Three", "Four", "Five")
_ROBOTS: Final = "User-agent: *\nDisallow: /basket\n"

_SHARE_SLOW: Final = 0.15
_MISSING: Final = 8
_BROKEN_AT_FIRST: Final = 10
_BUSY_AT_FIRST: Final = 3


class Shop(FakeSite):
    """The site, and what a scraper should find on it.

    `missing` books are listed and have no page (404). Pages that are `broken` answer 500 when they
    are asked for the first time, those that are `busy` 429 with Retry-After: 1; later requests
    succeed. No page of a book links to the shop's services.
    """

    def __init__(self, seed: int, books: int, port: int) -> None:
        random = Random(seed)
        self.books = list(_books(random, books))
        chosen = random.sample(
            self.books, k=min(_MISSING + _BROKEN_AT_FIRST + _BUSY_AT_FIRST, books)
        )
        self.missing = frozenset(book.path for book in chosen[:_MISSING])
        self.broken = frozenset(
            book.path for book in chosen[_MISSING : _MISSING + _BROKEN_AT_FIRST]
        )
        self.busy = frozenset(book.path for book in chosen[_MISSING + _BROKEN_AT_FIRST :])
        routes: dict[str, Route] = {
            "/robots.txt": Answer(_ROBOTS, headers={"Content-Type": "text/plain"})
        }
        routes.update(self._listings(random))
        for book in self.books:
            routes[book.path] = self._route_of(book)
        # What a scraper finds that follows every link, those without a page too; not robots.txt.
        self.pages = len(routes) - 1
        routes.update(services(self.books))
        super().__init__(routes, port=port)

    @property
    def offers(self) -> str:
        """What it has, in words."""
        return f"{len(self.books)} books"

    @property
    def home(self) -> str:
        """Where a scraper begins."""
        return f"{self.url}/"

    def _route_of(self, book: Book) -> Route:
        named = {"ETag": book.etag}
        page = Answer(_book_page(book), headers=named, seconds=book.seconds)

        def answer(asked: Asked) -> Answer:
            if book.path in self.missing:
                return Answer("<h1>Not found</h1>", 404)
            if asked.times == 1 and book.path in self.broken:
                return Answer("<h1>Something went wrong</h1>", 500)
            if asked.times == 1 and book.path in self.busy:
                return Answer("<h1>Too many requests</h1>", 429, {"Retry-After": "1"})
            if asked.headers.get("if-none-match") == book.etag:
                return Answer("", 304, named)
            return page

        return answer

    def _listings(self, random: Random) -> Iterator[tuple[str, Answer]]:
        shelves = [("/catalogue/", self.books)] + [
            (_category_folder(name), [book for book in self.books if book.category == name])
            for name in CATEGORIES
        ]
        for folder, shelf in shelves:
            pages = [shelf[at : at + PER_PAGE] for at in range(0, len(shelf), PER_PAGE)] or [[]]
            for number, books in enumerate(pages):
                path = _listing_path(folder, number)
                following = _listing_path(folder, number + 1) if number + 1 < len(pages) else ""
                seconds = random.uniform(0.02, 0.06)
                yield path, Answer(_listing_page(books, following), seconds=seconds)


def shop(*, seed: int = 1, books: int = BOOKS, port: int = 0) -> Shop:
    """A shop with this many books, the same ones for the same seed; serves in a `with` block."""
    return Shop(seed, books, port)


def _books(random: Random, count: int) -> Iterator[Book]:
    for number in range(1, count + 1):
        slow = random.random() < _SHARE_SLOW
        yield Book(
            number=number,
            title=" ".join(map(random.choice, (_FIRST, _SECOND, _THIRD))),
            category=random.choice(CATEGORIES),
            price=f"£{random.uniform(5, 60):.2f}",
            rating=random.choice(_RATINGS),
            stock=random.randint(0, 30),
            seconds=random.uniform(0.2, 0.4) if slow else random.uniform(0.05, 0.15),
        )


def _category_folder(name: str) -> str:
    return f"/catalogue/category/books/{name.lower()}_{CATEGORIES.index(name) + 2}/"


def _listing_path(folder: str, number: int) -> str:
    if number:
        return f"{folder}page-{number + 1}.html"
    return "/" if folder == "/catalogue/" else f"{folder}index.html"


def _listing_page(books: list[Book], following: str) -> str:
    categories = "".join(
        f'<li><a href="{_category_folder(name)}index.html">{name}</a></li>' for name in CATEGORIES
    )
    shelf = "\n".join(
        f'<li><article class="product_pod"><p class="star-rating {book.rating}"></p>'
        f'<h3><a href="{book.path}" title="{escape(book.title)}">{escape(book.title)}</a></h3>'
        f'<p class="price_color">{book.price}</p></article></li>'
        for book in books
    )
    pager = f'<ul class="pager"><li class="next"><a href="{following}">next</a></li></ul>'
    return _page(
        "All products",
        f'<div class="side_categories"><ul class="nav-list">{categories}</ul></div>'
        f'<ol class="row">{shelf}</ol>{pager if following else ""}',
    )


def _book_page(book: Book) -> str:
    return _page(
        book.title,
        '<article class="product_page"><div class="product_main">'
        f'<img class="cover" src="{book.cover}" alt="">'
        f"<h1>{escape(book.title)}</h1>"
        f'<p class="price_color">{book.price}</p>'
        f'<p class="instock availability">In stock ({book.stock} available)</p>'
        f'<p class="star-rating {book.rating}"></p></div>'
        f"<table><tr><th>UPC</th><td>{book.number:012x}</td></tr></table></article>",
        breadcrumb=f'<a href="{_category_folder(book.category)}index.html">{book.category}</a>',
    )


def _page(title: str, content: str, *, breadcrumb: str = "") -> str:
    return (
        f"<!doctype html>\n<html><head><title>{escape(title)} | The shop</title></head><body>\n"
        f'<ul class="breadcrumb"><li><a href="/">Home</a></li><li>{breadcrumb}</li></ul>\n'
        f"{content}\n</body></html>\n"
    )
