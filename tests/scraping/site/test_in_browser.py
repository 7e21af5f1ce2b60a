"""A site file in a real browser: rows that a script makes, and a button that shows more."""

import pytest

from swather.scraping.site import load, scraper_of
from swather.testing import FakeSite, run_scraper

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(180),
    pytest.mark.usefixtures("chromium"),
]

SITE = """
items = "#list p"
[fields]
name = "b"
[pagination]
load_more = "button.more"
max_pages = {max_pages}
[options]
browser = true
"""
# Three rows at once, as an answer from the network would bring them; the button goes with the last.
SCRIPTED = """<div id=list></div><button class=more>More</button><script>
let shown = 0;
function more() { for (const end = shown + 3; shown < end; shown++) {
  const row = document.createElement("p"); row.innerHTML = "<b>row " + shown + "</b>";
  document.getElementById("list").append(row); }
  if (shown >= 12) document.querySelector("button").remove(); }
document.querySelector("button").onclick = () => setTimeout(more, 50);
more();</script>"""
STUCK = SCRIPTED.replace("setTimeout(more, 50)", "null")


@pytest.mark.parametrize(
    ("html", "max_pages", "rows", "said"),
    [
        (SCRIPTED, 100, 12, ""),
        (SCRIPTED, 3, 9, "max_pages"),
        (STUCK, 100, 3, "shows no more rows"),
    ],
)
def test_more_is_pressed_until_there_is_no_more(html, max_pages, rows, said, monkeypatch, caplog):
    monkeypatch.setattr("swather.scraping.site.load_more.MORE_SECONDS", 2.0)
    with FakeSite({"/": html}) as site:
        scraper = scraper_of(load(SITE.format(max_pages=max_pages)))
        scraped = run_scraper(scraper, site.url, browser=True)
    assert [each["name"] for each in scraped.items] == [f"row {n}" for n in range(rows)]
    assert scraped.targets == []
    assert said in caplog.text
