"""Shops of a city, from a directory with a page for each city and category."""

from urllib.parse import quote

from swather import scraper

DIRECTORY = "https://directory.example"


@scraper(partition=lambda target: target["state"], proxies=True)
async def states(ctx, target):
    """Targets are objects with state, city and category: --targets cities.csv --rows."""
    place = f"{quote(target['state'])}/{quote(target['city'])}"
    page = await ctx.get(f"{DIRECTORY}/{place}?category={quote(target['category'])}")
    for shop in page.css("article.shop"):
        yield {"state": target["state"], "name": shop.css_first("h2").text(strip=True)}
