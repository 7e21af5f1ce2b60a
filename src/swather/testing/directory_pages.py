"""Pages of the stand-in directory, as HTML: like those of a well-known one, and with another
layout.
"""

import json
from collections.abc import Sequence
from html import escape
from typing import Final

from swather.testing.business import Business

_CLOSED: Final = "Permanently closed"
_SCRIPT: Final = """<script>
const results = document.querySelector(".search-results");
results.innerHTML = JSON.parse(document.getElementById("data").textContent);
</script>"""


def results_page(
    title: str, rows: Sequence[Business], following: str, *, has_json_ld: bool, is_scripted: bool
) -> str:
    """One page of results. `following` is the link to the next one; one that `is_scripted` shows
    nothing before its script has run.
    """
    listed = "\n".join(map(_row, rows)) + _pagination(following)
    if is_scripted:
        # No tag in it may end the script that holds it.
        data = json.dumps(listed).replace("<", "\\u003c")
        hidden = f'<script type="application/json" id="data">{data}</script>'
        return _page(title, f'<div class="search-results"></div>{hidden}{_SCRIPT}')
    objects = [_json_ld(row) for row in rows] if has_json_ld else []
    text = json.dumps(objects).replace("<", "\\u003c")
    found = f'<script type="application/ld+json">{text}</script>' if objects else ""
    return _page(title, f'<div class="search-results">{listed}</div>', head=found)


def empty_page(title: str) -> str:
    return _page(
        title, f'<div class="no-results"><p>No results found for {escape(title)}</p></div>'
    )


def new_layout_page(title: str, rows: Sequence[Business]) -> str:
    """The same in a layout that nobody has described yet."""
    cards = "".join(
        f"<li data-card><strong>{escape(row.name)}</strong> <em>{escape(row.phone)}</em></li>"
        for row in rows
    )
    return _page(title, f"<ol data-cards>{cards}</ol>")


def _row(row: Business) -> str:
    phone = f'<div class="phones phone primary">{escape(row.phone)}</div>' if row.phone else ""
    address = (
        f'<div class="adr"><div class="street-address">{escape(row.street)}</div>'
        f'<div class="locality">{escape(row.locality)}</div></div>'
    )
    closed = f'<div class="status-text">{_CLOSED}</div>' if row.is_closed else ""
    return (
        f'<div class="result" id="lid-{row.id}"><div class="info"><h2><a class="business-name" '
        f'href="/mip/{row.id}"><span>{escape(row.name)}</span></a></h2>'
        f'<div class="categories"><a>{escape(row.category)}</a></div>'
        f"{phone}{address if row.street else ''}{closed}</div></div>"
    )


def _json_ld(row: Business) -> dict[str, object]:
    found: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": "LocalBusiness",
        "@id": str(row.id),
        "name": row.name,
        "url": f"/mip/{row.id}",
    }
    if row.phone:
        found["telephone"] = row.phone
    if row.street:
        found["address"] = {
            "@type": "PostalAddress",
            "streetAddress": row.street,
            "addressLocality": row.city,
            "addressRegion": row.state,
            "postalCode": row.zip,
        }
    if row.is_closed:
        found["disambiguatingDescription"] = _CLOSED
    return found


def _pagination(following: str) -> str:
    if not following:
        return ""
    link = f'<a class="next" href="{escape(following)}">Next</a>'
    return f'<div class="pagination"><ul><li>{link}</li></ul></div>'


def _page(title: str, content: str, *, head: str = "") -> str:
    return (
        f"<!doctype html>\n<html><head><title>{escape(title)} | The directory</title>{head}</head>"
        f'<body><h1 class="search-title">{escape(title)}</h1>\n{content}\n</body></html>\n'
    )
