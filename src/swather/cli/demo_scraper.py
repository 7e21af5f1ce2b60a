"""The scraper of `swather demo`: every book of its shop, with what the book's own page says."""

from swather import scraper


@scraper(name="demo", in_flight=12, timeout=10, allow_private=True)
async def books(ctx, url):
    """Every book of a shop such as books.toscrape.com."""
    page = await ctx.get(url)
    for link in page.css("article.product_pod h3 a, ul.nav-list a, li.next a"):
        ctx.follow(link.attributes["href"])
    if book := page.css_first("article.product_page"):
        yield {
            "title": book.css_first("h1").text(),
            "category": page.css("ul.breadcrumb a")[-1].text(),
            "price": book.css_first(".price_color").text(),
            "url": page.url,
        }
