"""The dashboard in a real browser: what a person sees, does, and is never surprised by."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.routing import Route

from swather.model.run import RunState
from swather.model.supervisor import NewSupervisor
from swather.posix import this_process
from swather.store import Store
from swather.testing.shop import Shop, shop
from swather.web.dashboard import Dashboard
from swather.web.drawing import STATIC
from swather.web.pages import PAGES
from tests.store.given import a_fault, a_run, a_worker, claim, completed, failed, finish
from tests.web.conftest import ADMIN, settings_for

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

MAX_BYTES = 150_000
LONG = "a-very-long-name-" * 8
RIGHT_TO_LEFT = "הספרייה הגדולה"


@pytest.fixture
def site() -> Iterator[Shop]:
    with shop(books=100) as served:
        yield served


@pytest.fixture
def scraping(site: Shop, sqlite: Store, tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """The demo's scraper over its shop, as a process of its own."""
    words = ["run", "swather.cli.demo_scraper:demo", f"{site.url}/", "--db", sqlite.url]
    process = subprocess.Popen(
        [sys.executable, "-m", "swather.cli", *words, "--concurrency", "2"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield process
    process.terminate()
    process.wait()


def until(page: "Page", css: str, test: str, seconds: float = 30.0) -> None:
    """Wait until the text of an element passes a test in JavaScript, of `text`."""
    page.wait_for_function(
        f"css => {{ const text = document.querySelector(css)?.textContent || ''; return {test} }}",
        arg=css,
        timeout=seconds * 1_000,
    )


def mark(page: "Page") -> None:
    page.evaluate("window.sameDocument = true")


def is_marked(page: "Page") -> bool:
    return bool(page.evaluate("window.sameDocument === true"))


def test_a_run_is_watched_paused_resumed_retried_and_cancelled(
    scraping: "subprocess.Popen[bytes]", page: "Page", sqlite: Store
) -> None:
    mark(page)
    until(page, "#runs", "text.includes('demo')")
    assert is_marked(page)
    (run,) = sqlite.runs.find()
    page.get_by_role("link", name=run.name, exact=True).click()
    mark(page)
    seen = page.text_content("#standing dd")
    until(page, "#standing dd", f"text !== {seen!r} && parseInt(text) > 3")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Resume").wait_for()
    assert sqlite.runs.get(run.name).paused
    until(page, "#actions .chip", "text === 'paused'")
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("button", name="Pause").wait_for()
    mark(page)
    until(page, "#actions .chip", "text === 'finished'", 90)
    assert is_marked(page)
    assert scraping.wait() == 1  # finished with failures
    counts = sqlite.runs.counts(run.name)
    until(page, "#standing dd", f"text.startsWith('{counts.done:,} ')")
    assert page.locator(".uplot canvas").count() >= 1

    retry = page.locator("#errors").get_by_role("link", name=f"Retry these {counts.failed}")
    retry.click()
    page.get_by_role("dialog").get_by_role("button").last.click()
    page.wait_for_url("**/actions/*")
    until(page, "#action", "text.includes('Done')")
    assert sqlite.runs.counts(run.name).ready == counts.failed

    page.goto(f"/runs/{run.name}")
    page.get_by_role("link", name="Cancel", exact=True).click()
    page.get_by_role("button", name=f"Cancel {counts.failed} tasks").click()
    until(page, "#actions .chip", "text === 'cancelled'")
    assert sqlite.runs.get(run.name).state is RunState.CANCELLED


def test_nothing_changes_under_a_question_a_selection_or_the_focus(
    page: "Page", sqlite: Store
) -> None:
    run = a_run(sqlite, 12, lane="shop.example")
    worker = a_worker(sqlite)
    page.goto(f"/runs/{run}")
    until(page, "#live-state", "text.includes('live')")

    def end_one() -> None:
        (lease,) = claim(sqlite, worker, 1)
        finish(sqlite, completed(lease))

    page.get_by_role("link", name="Cancel", exact=True).click()
    page.get_by_role("button", name="Cancel 12 tasks").wait_for()
    before = page.text_content("#standing")
    end_one()
    with page.expect_response("**/palette*"):  # a second of the server's has passed for sure
        page.evaluate("setTimeout(() => fetch('/palette'), 2500)")
    assert page.text_content("#standing") == before
    assert page.get_by_role("dialog").is_visible()
    page.get_by_role("link", name="Keep it as it is").click()
    until(page, "#standing dd", "text.startsWith('1 ')")

    page.evaluate("getSelection().selectAllChildren(document.querySelector('#standing .figures'))")
    end_one()
    with page.expect_response("**/palette*"):
        page.evaluate("setTimeout(() => fetch('/palette'), 2500)")
    assert str(page.text_content("#standing dd")).startswith("1 ")
    page.evaluate("getSelection().removeAllRanges()")
    until(page, "#standing dd", "text.startsWith('2 ')")
    assert sqlite.runs.get(run).state is RunState.OPEN


def test_a_server_that_is_away_is_told_and_comes_back_by_itself(
    browser: "Browser", sqlite: Store
) -> None:
    run = a_run(sqlite, 3)
    with Dashboard(settings_for(sqlite.url)) as first, first.serving():
        port = int(first.address.rpartition(":")[2])
        page = browser.new_page()
        page.goto(first.link)
        until(page, "#live-state", "text === '● live'")
    mark(page)
    until(page, "#live-state", "text.startsWith('○ offline')")
    assert page.get_by_text(run).is_visible()
    with Dashboard(settings_for(sqlite.url, port)) as second, second.serving():
        until(page, "#live-state", "text === '● live'")
        assert is_marked(page)
        page.close()


def test_keys_and_the_palette_lead_everywhere(page: "Page", sqlite: Store) -> None:
    runs = [a_run(sqlite, 1, name=f"run-{number}") for number in range(3)]
    page.goto("/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.locator("tr.at .name").text_content() == runs[1]
    page.keyboard.press("k")
    assert page.locator("tr.at .name").text_content() == runs[2]
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").fill("run-0")
    page.get_by_role("option", name="run-0").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/run-0")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Theme").click()
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def test_what_more_workers_cost_is_said_while_their_number_is_chosen(
    page: "Page", sqlite: Store
) -> None:
    sqlite.supervisors.register(NewSupervisor(process=this_process(), name="home", wanted=2))
    page.goto("/workers")
    page.get_by_label("Workers", exact=True).fill("40")
    until(page, "#fleets .hint", "text.includes('40 workers')")


def some_of_everything(store: Store) -> str:
    """Names and texts that a page must bear."""
    run = a_run(store, 8, name=LONG[:100], lane=f"{RIGHT_TO_LEFT}.example")
    worker = a_worker(store, name=f"{RIGHT_TO_LEFT} <script>document.title = 'gone'</script>")
    fault = a_fault(f"<img src=x onerror=\"document.title='gone'\"> {LONG}", traceback="File <b>")
    one, other = claim(store, worker, 2)
    finish(store, completed(one, {"title": RIGHT_TO_LEFT, "long": LONG}))
    finish(store, failed(other, fault=fault))
    a_run(store, 3, name="paused-run")
    store.runs.pause("paused-run")
    store.runs.cancel(a_run(store, 2, name="cancelled-run"))
    store.actions.begin(actor="admin@<b>", verb="run cancel", subject=LONG[:200], detail={})
    return run


# Besides those that are live.
OTHERS = (
    "/?state=cancelled", "/errors?show=muted", "/runs/{run}/settings", "/runs/{run}/targets",
    "/runs/{run}/cancel", "/runs/{run}/files", "/tasks/{number}/cancel", "/start", "/media",
    "/schedules", "/settings", "/nothing-here",
)  # fmt: skip


def addresses(run: str) -> list[str]:
    """Of every page that is live, and of the others."""
    paths = {route.path for router in PAGES for route in router.routes if isinstance(route, Route)}
    live = [path for path in sorted(paths) if f"{path.rstrip('/')}/live" in paths]
    return [path.format(run=run, number=1) for path in (*live, *OTHERS)]


def serious(page: "Page", **options: Any) -> list[str]:
    """What axe finds that keeps people from using the page."""
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415

    found = Axe().run(page, options={"resultTypes": ["violations"], **options})
    return [
        f"{page.url}: {each['id']}: {node['html'][:200]}"
        for each in found.response["violations"]
        if each["impact"] in {"serious", "critical"}
        for node in each["nodes"][:3]
    ]


# Of the places that the lines of links mark, the furthest to the right.
MARKED = """
Math.max(0, ...[...document.querySelectorAll("nav > [aria-current]")].map(
  (each) => each.getBoundingClientRect().right))
"""


def test_every_page_can_be_read_by_everybody_on_every_screen(page: "Page", sqlite: Store) -> None:
    run = some_of_everything(sqlite)
    wrong: list[str] = []
    for address in addresses(run):
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(address)
        width = page.evaluate("document.documentElement.scrollWidth")
        wrong += [f"{address} is {width} px wide on a phone"] if width > 390 else []
        wrong += [f"{address} hides where one is"] if page.evaluate(MARKED) > 390 else []
        wrong += serious(page)
        page.set_viewport_size({"width": 1440, "height": 900})
        page.emulate_media(color_scheme="dark")
        wrong += serious(page, runOnly=["color-contrast"])
        assert page.title() != "gone"
    assert wrong == []


def test_the_login_page_lets_in_whoever_has_a_token(
    browser: "Browser", dashboard: Dashboard
) -> None:
    page = browser.new_page(base_url=dashboard.address)
    page.goto("/runs/some-run")
    assert serious(page) == []
    page.get_by_label("Token").fill("wrong-token-of-somebody")
    page.get_by_role("button", name="Log in").click()
    page.get_by_text("not a token of this server").wait_for()
    page.get_by_label("Token").fill(ADMIN)
    page.get_by_role("button", name="Log in").click()
    page.get_by_text("There is nothing here").wait_for()
    assert page.url.endswith("/runs/some-run")
    page.close()


def test_all_files_that_pages_need_are_small() -> None:
    served = [path for path in STATIC.iterdir() if path.suffix in {".css", ".js", ".svg"}]
    assert sum(path.stat().st_size for path in served) < MAX_BYTES
