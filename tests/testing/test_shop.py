import re
from collections.abc import Iterator

import pytest

from swather.testing.shop import Shop, shop
from swather.testing.shop_services import services
from tests.testing.web import asked_for

LINKS = re.compile(r'href="([^"]+)"')


@pytest.fixture(scope="module")
def open_shop() -> Iterator[Shop]:
    with shop() as site:
        yield site


def test_the_same_seed_is_the_same_shop():
    one, same, other = shop(seed=7), shop(seed=7), shop(seed=8)
    assert one.books == same.books
    assert (one.missing, one.broken, one.busy) == (same.missing, same.broken, same.busy)
    assert one.books != other.books


def test_every_page_can_be_found_by_its_links(open_shop: Shop):
    """Read from the routes, as fetching some hundred slow pages takes a while."""
    besides = {"/robots.txt", *dict(services(open_shop.books))}
    pages = {
        path: route.body
        for path, route in open_shop.routes.items()
        if not callable(route) and path not in besides
    }
    found, waiting = {"/"}, ["/"]
    while waiting:
        for link in LINKS.findall(pages.get(waiting.pop(), "")):
            if link not in found:
                found.add(link)
                waiting.append(link)
    assert found == set(open_shop.routes) - besides
    assert len(found) == open_shop.pages > 500


def test_a_missing_book_is_never_found(open_shop: Shop):
    path = min(open_shop.missing)
    assert [asked_for(open_shop.url + path).status for _ in range(2)] == [404, 404]


def test_a_broken_page_fails_once(open_shop: Shop):
    path = min(open_shop.broken)
    assert [asked_for(open_shop.url + path).status for _ in range(2)] == [500, 200]


def test_a_busy_page_asks_to_come_again_after_a_second(open_shop: Shop):
    path = min(open_shop.busy)
    answer = asked_for(open_shop.url + path)
    assert (answer.status, answer.headers["Retry-After"]) == (429, "1")
    assert asked_for(open_shop.url + path).status == 200


def test_some_pages_are_slow_and_most_are_not(open_shop: Shop):
    slow = [book for book in open_shop.books if book.seconds >= 0.2]
    assert 0.05 < len(slow) / len(open_shop.books) < 0.3
    assert max(book.seconds for book in open_shop.books) <= 0.4


def test_a_book_page_has_its_facts(open_shop: Shop):
    book = next(
        book
        for book in open_shop.books
        if book.path not in open_shop.missing | open_shop.broken | open_shop.busy
    )
    text = asked_for(open_shop.url + book.path).text
    assert f"<h1>{book.title}</h1>" in text
    assert f'<p class="price_color">{book.price}</p>' in text


def test_robots_may_not_see_the_basket(open_shop: Shop):
    assert "Disallow: /basket" in asked_for(open_shop.url + "/robots.txt").text


def test_members_and_programs_have_to_say_who_they_are(open_shop: Shop):
    for path in ("/account/orders", "/api/books"):
        assert asked_for(open_shop.url + path).status == 401
