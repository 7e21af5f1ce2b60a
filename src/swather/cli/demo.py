"""`swather demo`: a whole run against a shop that it serves itself, with a worker killed."""

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from swather.cli.failure import FINISHED_WITH_FAILURES
from swather.cli.options import AsJSON

if TYPE_CHECKING:
    from swather.cli.demo_country import Report as CountryReport
    from swather.cli.demo_proxies_report import Report as ProxiesReport
    from swather.cli.demo_report import Report
    from swather.testing.countries import CountrySite
    from swather.testing.shop import Shop

EXAMPLES: Final = """\
swather demo
swather demo --workers 5 --db postgresql://me@localhost/queue
swather demo --dashboard
swather demo --proxies
swather demo --site india
swather demo --json 2>/dev/null
swather demo --serve"""

SERVED_PORT: Final = 8008
BOOKS_OF_PROXIES: Final = 200
PAGES_PER_WORKER: Final = 4
SCRAPER: Final = "swather.cli.demo_scraper:demo"


def command(
    workers: Annotated[
        int, typer.Option(min=2, metavar="N", help="How many worker processes to start.")
    ] = 3,
    books: Annotated[
        int | None,
        typer.Option(
            min=100,
            metavar="N",
            help="How many books the shop has; 480, or 200 with --proxies. With --site, how many "
            "products; 120.",
        ),
    ] = None,
    db: Annotated[
        str | None,
        typer.Option(
            "--db",
            metavar="URL",
            help="The database to use; its tables are created if they are missing. By default a "
            "SQLite file in a new temporary folder.",
        ),
    ] = None,
    proxies: Annotated[
        bool,
        typer.Option(
            "--proxies",
            help="Scrape through local proxies instead, of which some die and some are banned.",
        ),
    ] = False,
    site: Annotated[
        str | None,
        typer.Option(
            "--site",
            metavar="COUNTRY",
            help="Scrape a country's price pages with `products` instead: argentina, india, "
            "malaysia, netherlands, quebec, russia or taiwan.",
        ),
    ] = None,
    dashboard: Annotated[
        bool,
        typer.Option(
            "--dashboard", help="Show it in the dashboard, too, which stays up until Ctrl-C."
        ),
    ] = False,
    serve: Annotated[
        bool,
        typer.Option("--serve", help="Only serve the shop for your own scrapers, until Ctrl-C."),
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65_535, metavar="N", help="The port for --serve.")
    ] = SERVED_PORT,
    as_json: AsJSON = False,
) -> int:
    """Watch a whole run in which a worker is killed.

    Serves a small web shop on this machine and scrapes it as `swather run` does. Some of its pages
    are slow, some fail at first and some are missing. Halfway through, one worker is killed with
    SIGKILL. At the end, the results are compared with the shop. It takes about 15 seconds.

    With --proxies, nobody is killed: the shop is scraped through proxies on this machine. Some of
    them die and come back, some are banned for a while. At the end, what the pool has counted is
    compared with the proxies' own logs.

    With --site, the price pages of a country are served and scraped, with its own layout and way
    to write prices, and each price is compared with the true one.
    """
    from swather.errors import InputError
    from swather.testing.countries import country_site
    from swather.testing.shop import BOOKS, shop

    if site is not None and proxies:
        raise InputError("--site and --proxies are two demos: pass one of them")
    served: Shop | CountrySite
    if site is not None:
        from swather.cli.demo_country import PRODUCTS

        served = country_site(site, products=books or PRODUCTS, port=port if serve else 0)
    else:
        books = books or (BOOKS_OF_PROXIES if proxies else BOOKS)
        served = shop(books=books, port=port if serve else 0)
    if serve:
        return _serve(served)
    folder = Path(tempfile.mkdtemp(prefix="swather-demo-"))
    url = db or f"sqlite:///{folder / 'demo.db'}"
    report: Report | ProxiesReport | CountryReport
    with _watched(url) if dashboard else nullcontext():
        with served:
            report = _report(served, site, url, workers, folder, keep=db is None, proxies=proxies)
        if as_json:
            from swather.cli import output

            output.print_json(report.as_dict())
        else:
            report.print()
        sys.stdout.flush()
    return 0 if report.adds_up else FINISHED_WITH_FAILURES


def _report(
    served: "Shop | CountrySite",
    country: str | None,
    url: str,
    workers: int,
    folder: Path,
    *,
    keep: bool,
    proxies: bool,
) -> "Report | ProxiesReport | CountryReport":
    from swather.testing.shop import Shop

    if not isinstance(served, Shop):
        from swather.cli.demo_country import scrape_country

        return scrape_country(served, country or "", url, workers, folder)
    if proxies:
        from swather.cli.demo_proxies import scrape_through_proxies

        return scrape_through_proxies(served, url, workers, folder, keep=keep)
    return _scrape(served, url, workers, folder)


@contextmanager
def _watched(url: str) -> Iterator[None]:
    """By anyone who has the link, and when all is over until Ctrl-C."""
    from swather.cli import output, serving
    from swather.cli.stop_signal import wait_for_signal
    from swather.runs import configuration
    from swather.store import factory

    serving.check_packages()
    factory.prepare(url)
    settings = configuration.resolve(None, {"db": url}).settings
    with serving.dashboard_beside(settings) as dashboard:
        serving.open_browser(dashboard)
        yield
        output.stderr().print(f"The dashboard stays up until Ctrl-C: {dashboard.address}")
        wait_for_signal(lambda: False)


def _scrape(site: "Shop", url: str, workers: int, folder: Path) -> "Report":
    """As `swather run` does, with a view that also kills."""
    from swather.cli import output
    from swather.cli.demo_kill import KillingView
    from swather.cli.demo_report import report_on
    from swather.cli.demo_run import order_for, work_through
    from swather.fleet.driver import RunDriver
    from swather.runs.view import view_on
    from swather.store import factory

    factory.prepare(url)
    order = order_for(
        SCRAPER,
        f"{site.url}/",
        url,
        folder,
        workers=workers,
        pages_per_worker=PAGES_PER_WORKER,
    )
    with RunDriver(order) as driver:
        store, run = driver.store, driver.run
        view = KillingView(view_on(output.stderr()), store, run.name, at=site.pages // 2)
        view.say(f"the shop has {len(site.books)} books on {site.pages} pages, at {site.url}")
        view.say(f"{workers} worker processes scrape it, {PAGES_PER_WORKER} pages at a time each")
        results, seconds = work_through(driver, SCRAPER, view)
        return report_on(store, run.name, site, view.killed, results, seconds)


def _serve(site: "Shop | CountrySite") -> int:
    from swather.cli import output

    console = output.stderr()
    with site:
        console.print(f"serving {site.offers} at {site.home} until Ctrl-C")
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            console.print(f"\nserved {site.requests.total():,} pages")
    return 0
