"""A site of pages that are empty until their script has fetched what they show."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from bench.servers.nginx import served

ROWS = 40
PAGE = """<!doctype html><html><head><title>Shop</title>
<link rel="stylesheet" href="/shop.css"></head><body><main></main>
<script src="/shop.js"></script></body></html>
"""
SCRIPT = """
fetch("/rows.json").then((answer) => answer.json()).then((rows) => {
  document.querySelector("main").innerHTML = rows.map(
    (row) => `<article><h3>${row.title}</h3><p>${row.price}</p></article>`).join("");
});
"""
STYLE = "article { border: 1px solid #ccc; margin: 4px; padding: 4px }\n"
SERVER = """
        location /page/ { rewrite ^ /page.html break; }
"""
HTTP = (
    "keepalive_timeout 600s; default_type text/html; "
    "types { text/html html; text/css css; application/javascript js; application/json json; }"
)


@contextmanager
def scripted_site() -> Iterator[str]:
    """Lend the address of pages that end with their number: /page/7."""
    rows = [{"title": f"Thing {n}", "price": f"£{n}.99"} for n in range(ROWS)]
    with served(http=HTTP, server=SERVER) as (url, folder):
        (folder / "page.html").write_text(PAGE)
        (folder / "shop.js").write_text(SCRIPT)
        (folder / "shop.css").write_text(STYLE)
        (folder / "rows.json").write_text(json.dumps(rows))
        yield f"{url}/page/"
