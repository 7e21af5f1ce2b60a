"""The shop's new arrivals: a page that is empty until its script has fetched the books, and that
shows more of them when somebody scrolls to its end.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Final
from urllib.parse import parse_qs

from swather.testing.book import Book
from swather.testing.site import Answer, Asked, Route

PER_SCROLL: Final = 20
SCROLLS: Final = 3
PATH: Final = "/new/"
_PAGE: Final = """<!doctype html>
<html><head><title>New arrivals | The shop</title>
<style>#shelf li { height: 60px }</style></head><body>
<h1>New arrivals</h1>
<noscript>This page needs JavaScript.</noscript>
<ol id="shelf"></ol>
<script>
  const shelf = document.getElementById("shelf");
  let next = "/new/books.json?page=1";

  function add(book) {
    const row = document.createElement("li");
    row.innerHTML = '<article class="product_pod"><h3><a></a></h3>'
      + '<p class="price_color"></p></article>';
    const link = row.querySelector("a");
    link.href = book.path;
    link.title = link.textContent = book.title;
    row.querySelector("p").textContent = book.price;
    shelf.append(row);
  }

  async function load() {
    const from = next;
    next = null;
    if (from === null) return;
    const answer = await (await fetch(from)).json();
    answer.books.forEach(add);
    next = answer.next;
  }

  addEventListener("scroll", () => {
    if (innerHeight + scrollY > document.body.scrollHeight - 200) load();
  });
  load();
</script>
</body></html>
"""


def arrivals(books: Sequence[Book]) -> Iterator[tuple[str, Route]]:
    newest = list(reversed(books))[: PER_SCROLL * SCROLLS]
    yield PATH, Answer(_PAGE)
    yield f"{PATH}books.json", _answer(newest)


def _answer(newest: Sequence[Book]) -> Callable[[Asked], Answer]:
    def answer(asked: Asked) -> Answer:
        number = int(parse_qs(asked.query).get("page", ["1"])[0])
        shown = newest[(number - 1) * PER_SCROLL : number * PER_SCROLL]
        is_last = number * PER_SCROLL >= len(newest)
        found = {
            "books": [
                {"path": book.path, "title": book.title, "price": book.price} for book in shown
            ],
            "next": None if is_last else f"{PATH}books.json?page={number + 1}",
        }
        return Answer(json.dumps(found), headers={"Content-Type": "application/json"})

    return answer
