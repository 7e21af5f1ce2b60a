"""`swather try`: one target, here and now, without a database."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from swather.cli.arguments import OutputDir, Parameters, ScraperSpec
from swather.cli.failure import FINISHED_WITH_FAILURES
from swather.cli.options import AsJSON
from swather.cli.scraper_options import ScraperCommand
from swather.cli.try_browser import Headed, InBrowser, Screenshot, TriedBrowser
from swather.cli.try_browser import show as show_screenshot
from swather.cli.try_fixture import Saving
from swather.cli.try_site import SiteLook

if TYPE_CHECKING:
    from swather.scraping.files import FileStore
    from swather.testing import Scraped

KIND: Final = ScraperCommand
EXAMPLES: Final = """\
swather try books.py https://books.toscrape.com/
swather try shops.py '{"url": "https://example.com", "country": "nl"}' -p pages=2
swather try books.py https://books.toscrape.com/ --json | jq .items
swather try books.py https://books.toscrape.com/ --save-fixture tests/books.json
swather try shop.toml https://books.toscrape.com/
swather try books.py https://books.toscrape.com/ --browser --screenshot books.png"""


def command(
    scraper: ScraperSpec,
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="A URL or another target; an object as JSON.")
    ],
    params: Parameters = None,
    save_fixture: Annotated[
        Path | None,
        typer.Option(
            "--save-fixture",
            metavar="FILE",
            help="Write the pages it fetches to a .json file for a test, and show that test.",
        ),
    ] = None,
    browser: InBrowser = False,
    headed: Headed = False,
    screenshot: Screenshot = None,
    output_dir: OutputDir = None,
    proxy: Annotated[
        str | None,
        typer.Option(
            "--proxy",
            metavar="URL",
            help="Send its requests through this proxy. Default: one that the scraper would use.",
        ),
    ] = None,
    as_json: AsJSON = False,
) -> int:
    """Scrape one target and show the result.

    Nothing is stored, except files with --output-dir; robots.txt is obeyed as in a run. Items are
    printed, further targets and files are listed; an error is shown with its whole traceback and
    with what a run would do about it, and the exit code is 1. Of a site file, it shows for each
    field which selectors gave which value, and which gave none.
    """
    from swather.cli import output
    from swather.cli.try_proxy import proxy_for
    from swather.net.fetcher import USER_AGENT
    from swather.runs import configuration
    from swather.runs.fetching import new_fetcher
    from swather.runs.storage import bucket_access, made_folder
    from swather.runs.targets import value_of
    from swather.scraping import registry
    from swather.scraping.file_folders import files_at
    from swather.testing import run_scraper
    from swather.testing.fetch_policy import PolitePolicy

    # Made before the scraper may change the current folder, or anything is fetched.
    folder = made_folder(output_dir, configuration.resolve().settings)
    found = registry.load(scraper)
    settings = configuration.resolve(scraper=found).settings
    found = configuration.apply(found, settings)
    given = configuration.run_params(found, params or [], settings)
    fetcher = new_fetcher(settings)
    value = value_of(target)
    saving = None if save_fixture is None else Saving(save_fixture, found, value, given)
    tried = TriedBrowser(
        found, settings, in_browser=browser, headed=headed, screenshot=screenshot, saving=saving
    )
    source = fetcher if saving is None else saving.around(fetcher)
    policy = PolitePolicy(
        found,
        value if found.site is None else found.site.url_of(value),
        given,
        fetcher=fetcher,
        user_agent=settings.user_agent or USER_AGENT,
        max_crawl_delay_seconds=settings.max_crawl_delay_seconds,
    )
    looked = SiteLook(found)
    found = looked.scraper
    _log_to_stderr()
    with proxy_for(found, settings, proxy, value) as through:
        registry.enter_folder()
        began = time.monotonic()
        try:
            scraped = run_scraper(
                found,
                value,
                params=given,
                fetcher=source,
                policy=policy,
                browser=tried.browser,
                proxy=through,
            )
        except Exception as error:  # noqa: BLE001 - a scraper may raise anything
            saved = None if saving is None else saving.save(None)
            if not as_json:
                looked.show()
            return _show_error(error, saved, tried.save(), as_json=as_json)
        seconds = time.monotonic() - began
    saved = None if saving is None else saving.save(scraped)
    if folder is not None:
        _keep_files(scraped, files_at(folder, bucket_access(settings)))
    if as_json:
        data = _as_data(scraped, seconds, saved, tried.save())
        output.print_json({**data, **looked.as_data()})
    else:
        _show(scraped, seconds)
        looked.show()
        show_screenshot(tried.save())
        _show_fixture(saved)
    return 0


def _log_to_stderr() -> None:
    import logging

    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    logging.getLogger("swather.scraper").setLevel(logging.DEBUG)


def _keep_files(scraped: "Scraped", files: "FileStore") -> None:
    saved = [files.save_file(content, name) for name, content in scraped.files.items()]
    files.link_parts({(0, 0): saved})


def _show(scraped: "Scraped", seconds: float) -> None:
    from swather.cli import output
    from swather.masking import masked_data
    from swather.model.rejection import top_reasons
    from swather.runs.words import count

    for item in scraped.items:
        output.print_item(item)
    said = output.stderr()
    said.print(
        f"{count(len(scraped.items), 'item')}, "
        f"{count(len(scraped.children), 'further target')}, "
        f"{count(len(scraped.files), 'file')} in {seconds:.2f} s",
        style="bold",
    )
    if scraped.rejected:
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in top_reasons(scraped.rejected))
        said.print(f"  {count(sum(scraped.rejected.values()), 'row')} rejected: {reasons}")
    for child in scraped.targets:
        said.print(f"  target {masked_data(child)}")
    for name, content in scraped.files.items():
        said.print(f"  file {name}, {output.size(len(content))}")


def _show_fixture(saved: dict[str, Any] | None) -> None:
    if saved is None:
        return
    from swather.cli import output
    from swather.runs.words import count

    said = output.stderr()
    pages, size = count(saved["pages"], "page"), output.size(saved["bytes"])
    said.print(f"{pages} saved in {saved['path']}, {size}. A test for it:", style="bold")
    sys.stderr.write(f"\n{saved['test']}\n")


def _as_data(
    scraped: "Scraped",
    seconds: float,
    saved: dict[str, Any] | None,
    picture: dict[str, Any] | None,
) -> dict[str, Any]:
    return {
        "items": scraped.items,
        "targets": scraped.targets,
        "files": {name: len(content) for name, content in scraped.files.items()},
        "cursors": scraped.cursors,
        "rejected": scraped.rejected,
        "seconds": round(seconds, 3),
        **({} if saved is None else {"fixture": saved}),
        **({} if picture is None else {"screenshot": picture["path"]}),
    }


def _show_error(
    error: Exception,
    saved: dict[str, Any] | None,
    picture: dict[str, Any] | None,
    *,
    as_json: bool,
) -> int:
    from swather.cli import output
    from swather.errors import ScrapeError
    from swather.model.retry import ErrorClass
    from swather.scraping.classify import classify

    classified = classify(error)
    fault = classified.fault
    for_good = fault.error_class is ErrorClass.PERMANENT
    meant = "retry the target"
    if for_good:
        meant = f"fail the target ({classified.reason or 'permanent'})"
    elif fault.error_class is ErrorClass.LATER:
        meant = f"try the target again in {classified.after_seconds:g} s"
    if as_json:
        output.print_json(
            {
                "error": fault.message,
                "error_class": str(fault.error_class),
                "reason": classified.reason,
                "where": fault.where,
                "traceback": fault.traceback,
                **({} if saved is None else {"fixture": saved}),
                **({} if picture is None else {"screenshot": picture["path"]}),
            }
        )
    else:
        # What a scraper raises on purpose says it all; of a mistake, the way there helps.
        said = f"{fault.message}\n" if isinstance(error, ScrapeError) else fault.traceback
        sys.stderr.write(said)
        output.stderr().print(
            f"A run would call this {fault.error_class} and {meant}.", style="bold"
        )
        show_screenshot(picture)
        _show_fixture(saved)
    return FINISHED_WITH_FAILURES
