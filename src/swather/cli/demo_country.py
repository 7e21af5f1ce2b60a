"""`swather demo --site india`: a country's price pages scraped by `products`, and compared."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from swather.cli import database, output
from swather.cli.demo_run import order_for, print_ending, work_through
from swather.fleet.driver import RunDriver
from swather.model.run import RunState
from swather.runs.json_names import named
from swather.runs.source import Source
from swather.runs.summary import Summary, summarise
from swather.runs.view import view_on
from swather.runs.words import count, duration

if TYPE_CHECKING:
    from swather.testing.countries import CountrySite

SCRAPER: Final = "products"
PRODUCTS: Final = 120
PAGES_PER_WORKER: Final = 4
_SHOWN: Final = 8


@dataclass(frozen=True, kw_only=True)
class Report:
    """What the pages have, beside what was found. `wrong` are products with another price, pack or
    stock than theirs; `examples` are the first items.
    """

    summary: Summary
    site: str
    seconds: float
    results: str
    expected: int
    items: int
    doubled: int
    missing: int
    wrong: list[str]
    requests: int
    examples: list[dict[str, Any]]

    @property
    def adds_up(self) -> bool:
        return not list(self.objections())

    def objections(self) -> Iterator[str]:
        """What does not add up, in words."""
        counts = self.summary.counts
        if self.summary.state is not RunState.FINISHED or counts.unfinished or counts.failed:
            yield f"{counts.unfinished:,} pages are unfinished, {counts.failed:,} failed"
        if self.doubled or self.missing:
            yield f"of the products, {self.missing} are missing and {self.doubled} came twice"
        if self.wrong:
            yield f"{count(len(self.wrong), 'product')} differ: {', '.join(self.wrong[:5])}"

    def as_dict(self) -> dict[str, Any]:
        data = named(self)
        summary = data.pop("summary")
        url = summary.pop("url")
        return {"database": database.shown(url), **summary, **data, "adds_up": self.adds_up}

    def print(self) -> None:
        print()
        headers = ("product", "on the page", "price", "pack", "price of a unit", "stock")
        rows = [_cells(item) for item in self.examples]
        output.show(output.listing(headers, rows), output.facts(self._facts()))
        run = self.summary.run
        print_ending(
            list(self.objections()),
            "Every product was found once, with the price, pack and stock that it has.",
            self.results,
            self.summary.url,
            next_=(f"status {run}", f"export {run} -o {self.site}.csv"),
        )

    def _facts(self) -> Iterator[tuple[str, str]]:
        counts = self.summary.counts
        yield "pages", f"{counts.completed:,} completed, {self.requests:,} requests"
        yield "products", f"{self.items:,} found, {self.expected:,} on the pages"
        yield "differences", str(len(self.wrong) or "none")
        yield "time", duration(self.seconds)


def _cells(item: dict[str, Any]) -> tuple[str, ...]:
    unit = f"{item['unit_price']} per {item['unit_price_per']}"
    return (
        item["name"],
        item.get("price_shown") or item["price_text"],
        f"{item['price']} {item['currency']}",
        item["pack_text"],
        unit,
        item["availability"],
    )


def scrape_country(site: "CountrySite", name: str, url: str, workers: int, folder: Path) -> Report:
    """As `swather run products --site NAME` does."""
    from swather.store import factory

    factory.prepare(url)
    order = replace(
        order_for(
            SCRAPER, site.url, url, folder, workers=workers, pages_per_worker=PAGES_PER_WORKER
        ),
        source=Source(arguments=tuple(site.targets)),
        params={"site": name, "address": site.address},
        output=folder / f"{name}.jsonl",
    )
    with RunDriver(order) as driver:
        view = view_on(output.stderr())
        view.say(f"{len(site.products)} products of {name} are at {site.url}")
        view.say(f"{count(workers, 'worker')} scrape them with the site file {name}.toml")
        results, seconds = work_through(driver, SCRAPER, view)
        return _report(driver, site, name, results, seconds)


def _report(
    driver: RunDriver, site: "CountrySite", name: str, results: Path, seconds: float
) -> Report:
    items = [msgspec.json.decode(line) for line in results.read_bytes().splitlines()]
    by_code = {item["code"]: item for item in items}
    missing = [each.code for each in site.products if each.code not in by_code]
    wrong = [
        each.code
        for each in site.products
        if each.code in by_code
        and any(by_code[each.code][field] != value for field, value in each.truth.items())
    ]
    return Report(
        summary=summarise(driver.store, driver.run.name),
        site=name,
        seconds=seconds,
        results=str(results),
        expected=len(site.products),
        items=len(items),
        doubled=len(items) - len(by_code),
        missing=len(missing),
        wrong=wrong,
        requests=site.requests.total() - site.requests["/robots.txt"],
        examples=items[:_SHOWN],
    )
