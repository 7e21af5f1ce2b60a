"""Site files: a site described in TOML is a scraper, without Python.

    from swather.scraping import site

    shop = site.load("shop.toml")          # or a text with lines; LoadError lists each mistake
    rows = shop.items(page)                # of a swather Page; Permanent('layout_changed') if
                                           # nothing on it matches
    rows.accepted                          # each a Row: .values by field, .key, .item as JSON
    rows.rejections                        # how many were rejected, by reason
    rows.notes                             # what a person should know, such as that rows were cut
    shop.links(page)                       # addresses of item pages, if it has `follow`
    step = shop.next_page(page)            # the next page of a list: .url, .number; None at the end
    if step and not step.why: …            # .why says why it is not followed (another host, …)
    shop.next_page(page, step.with_seen(rows.page_id))    # knows circles: .has_seen(page_id)
    shop.url_of({"city": "Bonn"})          # what its target template makes of a target
    shop.explain(page)                     # which way gave which value, for `swather try`
    site.scraper_of(shop)                  # the Scraper that runs it

`values` are Python's: a price is a `swather.scraping.prices.Price`; `item` is what is stored.
Only `load`, `Site`, `Row`, `Rows`, `Step` and `scraper_of` are for other rooms.
"""

from swather.scraping.site.loading import SUFFIX, load
from swather.scraping.site.paging import Step
from swather.scraping.site.rows import Row, Rows
from swather.scraping.site.scraper import scraper_of
from swather.scraping.site.site import Site

__all__ = ["SUFFIX", "Row", "Rows", "Site", "Step", "load", "scraper_of"]
