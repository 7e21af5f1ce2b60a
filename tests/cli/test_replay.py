"""swather replay: a mended parser over stored pages, without one request."""

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from swather import store as stores
from swather.model.task_filter import TaskFilter
from swather.testing import Answer, FakeSite
from tests.cli.conftest import PROGRAM, Swather, done
from tests.cli.scrapers import write

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
PAGES = 12
PATIENCE_SECONDS = 30

ASYNC = """
from swather import scraper


@scraper(retries=0, in_flight=None{more})
async def pages(ctx, url):
    page = await ctx.get(url)
    {parse}
    for node in page.css("a"):
        ctx.follow(node.attributes["href"])
"""
PLAIN = ASYNC.replace("async def", "def").replace("await ", "")
CLASS = """
from swather import scraper


@scraper(retries=0, in_flight=None{more})
class Pages:
    async def scrape(self, ctx, url):
        page = await ctx.get(url)
        {parse}
        for node in page.css("a"):
            ctx.follow(node.attributes["href"])
"""
GOOD = 'yield {"title": page.css_first("h1").text()}'
BROKEN = 'yield {"title": page.css_first("h2").text()}'
WAITS = """from pathlib import Path
    while url.endswith("/9") and not Path("let-go").exists():
        Path("waiting").touch()
        await ctx.sleep(0.01)
    yield {"title": page.css_first("h1").text()}"""
KINDS = {
    "async": (ASYNC, ""),
    "plain": (PLAIN, ""),
    "class": (CLASS, ', name="pages"'),
    "process": (PLAIN, ', isolation="process"'),
}


class Site(FakeSite):
    """A start page with links to all others; it can be shut for good."""

    def __init__(self) -> None:
        links = "".join(f'<a href="/{n}">{n}</a>' for n in range(PAGES))
        secret = {"Set-Cookie": "id=canary", "Authorization": "canary", "X-Kept": "yes"}
        super().__init__(
            {
                "/robots.txt": Answer("User-agent: *\n", headers={"Content-Type": "text/plain"}),
                "/": Answer(f"<h1>start</h1>{links}", headers=secret),
                **{f"/{n}": f"<h1>page {n}</h1>" for n in range(PAGES)},
            }
        )
        self.is_open = False

    def start(self) -> None:
        super().start()
        self.is_open = True

    def stop(self) -> None:
        if self.is_open:
            self.is_open = False
            super().stop()


TITLES = sorted(["start", *(f"page {n}" for n in range(PAGES))])


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as opened:
        yield opened


def code(kind: str, parse: str) -> str:
    text, more = KINDS[kind]
    return text.format(parse=parse, more=more)


def titles(path: str = "pages.jsonl") -> list[str]:
    return sorted(json.loads(line)["title"] for line in Path(path).read_text().splitlines())


def scraped(swather: Swather, site: Site, url: str, parse: str, kind: str = "async") -> str:
    """A run of all pages, with the pages stored; its name."""
    write(code(kind, parse))
    said = swather("run", "scrapers.py", site.url + "/", "--store-pages", "--db", url, "--json")
    assert said.code == (1 if parse is BROKEN else 0), said.err
    return said.data["run"]


def wait_until(true: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < until, "it did not come true"
        time.sleep(0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_a_mended_parser_gives_all_items_without_a_request(started: Swather, site: Site, kind):
    database = "sqlite:///swather.db"
    run = scraped(started, site, database, GOOD, kind)
    write(code(kind, BROKEN))
    broken = started("replay", run, "scrapers.py")
    assert broken.code == 1, broken.err
    assert f"{PAGES + 1} failed (transient): " in broken.out
    asked = site.requests.total()
    site.stop()
    write(code(kind, GOOD))
    said = started("replay", run, "scrapers.py")
    assert said.code == 0, said.err
    assert f"{PAGES + 1} tasks: {PAGES + 1} completed, 0 failed." in said.out
    assert titles() == TITLES
    assert site.requests.total() == asked


def test_a_run_that_failed_at_a_broken_parser_is_made_good(
    swather: Swather, started: Swather, site: Site, database: str
):
    Path("urls.txt").write_text("".join(f"{site.url}/{n}\n" for n in range(PAGES)))
    write(code("async", BROKEN))
    arguments = ("--targets", "urls.txt", "--store-pages", "--db", database)
    said = swather("run", "scrapers.py", *arguments)
    assert said.code == 1
    assert f"{PAGES} failed (transient): AttributeError" in said.out
    site.stop()
    write(code("async", GOOD))
    said = started("replay", "pages", "scrapers.py", "--db", database, "--json")
    assert said.code == 0, said.err
    assert said.data["counts"]["completed"] == PAGES
    assert said.data["results"] == {"path": "pages.jsonl", "items": PAGES, "missing": 0}
    assert (said.data["not_stored"], said.data["interrupted"]) == (0, False)
    assert titles() == sorted(f"page {n}" for n in range(PAGES))
    again = started("run", "scrapers.py", *arguments)
    assert again.code == 0, again.err
    assert "is finished" in again.err


def test_the_rows_of_completed_targets_are_replaced(
    swather: Swather, started: Swather, site: Site, database: str
):
    run = scraped(swather, site, database, GOOD)
    site.stop()
    write(code("async", GOOD.replace(".text()", ".text().upper()")))
    assert started("replay", run, "scrapers.py", "--db", database).code == 0
    assert titles() == sorted(title.upper() for title in TITLES)
    exported = swather("export", run, "-o", "all.jsonl", "--db", database)
    assert exported.code == 0
    assert titles("all.jsonl") == titles()


def test_a_dry_run_says_what_is_stored_and_changes_nothing(
    swather: Swather, site: Site, database: str
):
    run = scraped(swather, site, database, GOOD)
    asked = ("replay", run, "scrapers.py", "--dry-run", "--db", database)
    said = swather(*asked)
    assert said.out.splitlines() == [
        f"run {run}: {PAGES + 1} targets would be replayed",
        "pages.jsonl would be rewritten",
    ]
    data = swather(*asked, "--json").data
    assert (data["stored"], data["not_stored"], data["half_done"]) == (PAGES + 1, 0, False)
    store = stores.open(database)
    try:
        found = store.runs.get(run)
        assert (found.paused, found.state) == (False, "finished")
        assert store.runs.counts(run).completed == PAGES + 1
    finally:
        store.close()


def test_what_is_stored_has_no_secrets_and_no_robots(swather: Swather, site: Site, database: str):
    run = scraped(swather, site, database, GOOD)
    store = stores.open(database)
    try:
        tasks = store.tasks.find(TaskFilter(run=run))
        pages = [page for task in tasks for page in store.pages.find(run, task.id)]
    finally:
        store.close()
    assert sorted(page.url for page in pages) == sorted(
        [f"{site.url}/", *(f"{site.url}/{n}" for n in range(PAGES))]
    )
    names = {name.lower() for page in pages for name, _ in page.headers}
    assert "x-kept" in names
    assert not names & {"set-cookie", "authorization"}


def test_what_a_mended_parser_finds_anew_is_not_stored_and_can_be_fetched(
    started: Swather, site: Site, database: str
):
    links = '\n    if url.endswith("/"):\n        ctx.follow("/new")'
    run = scraped(started, site, database, GOOD)
    site.routes["/new"] = "<h1>new</h1>"
    write(code("async", GOOD + links))
    said = started("replay", run, "scrapers.py", "--db", database)
    assert said.code == 1, said.err
    assert f"{PAGES + 2} tasks: {PAGES + 1} completed, 1 failed." in said.out
    assert "1 target asks for a page that is not stored. To fetch it:" in said.out
    assert site.requests["/new"] == 0
    lines = said.out.splitlines()
    fetch = next(line for line in lines if line.startswith("    ") and " && " in line)
    for command in fetch.split(" && "):
        done = started(*shlex.split(command.replace("***", "x"))[1:], env=_environment(database))
        assert done.code == 0, done.err
    assert site.requests["/new"] == 1
    data = started("status", run, "--db", database, "--json").data
    assert data["counts"]["completed"] == PAGES + 2


def _environment(database: str) -> dict[str, str]:
    return {**os.environ, "SWATHER_DB": database}


def test_another_worker_fetches_nothing_of_a_replay(swather: Swather, site: Site, database: str):
    run = scraped(swather, site, database, GOOD)
    write(code("async", WAITS))
    asked = site.requests.total()
    other = subprocess.Popen(
        [PROGRAM, "worker", "scrapers.py", "--forever", "--db", database],
        stderr=subprocess.DEVNULL,
    )
    try:
        with begun("replay", run, "scrapers.py", "--db", database, "--concurrency", "1") as replay:
            wait_until(Path("waiting").exists)
            # What comes after it is given back soon, and the other one looks every second.
            time.sleep(2.5)
            Path("let-go").touch()
            assert replay.wait(PATIENCE_SECONDS) == 0
    finally:
        other.terminate()
        assert other.wait(PATIENCE_SECONDS) == 130
    assert titles() == TITLES
    assert site.requests.total() == asked


class begun:  # noqa: N801 - reads as a word
    """`swather …` in a group of its own, that ends with the block."""

    def __init__(self, *arguments: str) -> None:
        self._arguments = arguments

    def __enter__(self) -> "subprocess.Popen[bytes]":
        self._process = subprocess.Popen(
            [PROGRAM, *self._arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        return self._process

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


def is_half_way(database: str, run: str) -> bool:
    """All but the one that waits are done."""
    store = stores.open(database)
    try:
        counts = store.runs.counts(run)
    finally:
        store.close()
    return (counts.completed, counts.leased) == (PAGES, 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_stopped_half_way_the_same_command_goes_on(
    swather: Swather, started: Swather, site: Site, database: str, number
):
    run = scraped(swather, site, database, GOOD)
    site.stop()
    write(code("async", WAITS.replace(".text()", ".text().upper()")))
    with begun("replay", run, "scrapers.py", "--db", database, "--grace-seconds", "0") as replay:
        wait_until(lambda: is_half_way(database, run))
        replay.send_signal(number)
        assert replay.wait(PATIENCE_SECONDS) == (130 if number == signal.SIGINT else -9)
    assert titles() == TITLES  # the file is written when all is done
    data = swather("replay", run, "scrapers.py", "--dry-run", "--json", "--db", database).data
    assert data["half_done"] is True
    Path("let-go").touch()
    said = started("replay", run, "scrapers.py", "--db", database)
    assert said.code == 0, said.err
    assert f"Resuming the replay of run {run}: 1 target" in said.err
    assert titles() == sorted(title.upper() for title in TITLES)
    status = swather("replay", run, "scrapers.py", "--dry-run", "--json", "--db", database).data
    assert status["half_done"] is False


def test_a_half_done_replay_can_be_begun_anew(
    swather: Swather, started: Swather, site: Site, database: str
):
    run = scraped(swather, site, database, GOOD)
    write(code("async", WAITS))
    with begun("replay", run, "scrapers.py", "--db", database, "--grace-seconds", "0") as replay:
        wait_until(lambda: is_half_way(database, run))
        replay.send_signal(signal.SIGINT)
        assert replay.wait(PATIENCE_SECONDS) == 130
    write(code("async", GOOD.replace(".text()", ".text().upper()")))
    said = started("replay", run, "scrapers.py", "--new", "--db", database)
    assert said.code == 0, said.err
    assert f"Replaying run {run}: {PAGES + 1} targets" in said.err
    assert titles() == sorted(title.upper() for title in TITLES)


def test_a_run_that_was_paused_stays_so_and_others_do_not(
    swather: Swather, site: Site, database: str
):
    run = scraped(swather, site, database, GOOD)
    for is_paused in (False, True):
        if is_paused:
            assert swather("pause", run, "--db", database).code == 0
        assert swather("replay", run, "scrapers.py", "--db", database).code == 0
        store = stores.open(database)
        try:
            assert store.runs.get(run).paused is is_paused
        finally:
            store.close()


def test_a_scraper_that_is_blocked_by_a_stored_page_cools_nothing(
    swather: Swather, started: Swather, site: Site, database: str
):
    run = scraped(swather, site, database, GOOD)
    write(code("async", 'raise __import__("swather").Blocked("captcha")\n    yield'))
    said = started("replay", run, "scrapers.py", "--db", database, "--max-failed", "100%")
    assert said.code == 0, said.err
    assert f"{PAGES + 1} failed (blocked): captcha" in said.out
    store = stores.open(database)
    try:
        host = site.url.removeprefix("http://")
        assert store.lanes.get(host).cool_until is None
        assert store.runs.counts(run).retries == 0
    finally:
        store.close()


def test_results_go_where_they_are_wanted(swather: Swather, site: Site, database: str):
    run = scraped(swather, site, database, GOOD)
    said = swather("replay", run, "scrapers.py", "-o", "pages.csv", "--db", database)
    assert said.code == 0, said.err
    assert f"Results: pages.csv ({PAGES + 1} items)" in said.out
    assert len(Path("pages.csv").read_text().splitlines()) == PAGES + 2


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("replay", "nope"), 2, "nope"),
        (("replay", "pages", "other.py"), 2, "not 'other'"),
        (("replay", "pages", "scrapers.py", "--max-failed", "x"), 2, "x"),
        (("replay", "pages", "scrapers.py", "-o", "x.xml"), 2, "x.xml"),
        (("replay", "pages", "--db", "sqlite:///none.db"), 3, "none.db"),
    ],
)
def test_bad_input_is_one_line(swather: Swather, site: Site, arguments, code, message):
    url = "sqlite:///swather.db"
    scraped(swather, site, url, GOOD)
    other = "from swather import scraper\n\n\n@scraper\ndef other(ctx, target):\n    return None\n"
    write(other, "other.py")
    said = swather(*arguments)
    assert (said.code, said.out) == (code, "")
    assert message in said.err
    assert said.err.count("\n") == 1


REFUSED = {
    "a run without stored pages": ("run", (), "has no stored pages; run with --store-pages"),
    "a run that is not finished": ("enqueue", (), "is not finished: 1 target still to be scraped"),
    "a stranger's file": ("run --store-pages", ("-o", "mine.csv"), "mine.csv exists"),
    "another scraper": ("run --store-pages", ("other.py",), "belongs to scraper 'pages'"),
    "no code": ("run --store-pages", ("",), "pages"),
    "a bad rate": ("run --store-pages", (), "SWATHER_RATE"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_dry_run_refuses_what_a_replay_refuses_in_the_same_words(
    swather: Swather, site: Site, monkeypatch: pytest.MonkeyPatch, why
):
    before, arguments, message = REFUSED[why]
    write(code("async", GOOD))
    write(code("async", GOOD).replace("def pages", "def other"), "other.py")
    Path("mine.csv").write_text("precious")
    verb, *options = before.split()
    assert swather(verb, "scrapers.py", site.url + "/", *options).code == 0
    if why == "a bad rate":
        monkeypatch.setenv("SWATHER_RATE", "fast")
    scraper = () if arguments and arguments[0] in {"", "other.py"} else ("scrapers.py",)
    asked = ("replay", "pages", *scraper, *filter(None, arguments))
    real, tried = swather(*asked), swather(*asked, "--dry-run")
    assert (real.code, real.out) == (2, "")
    assert message in real.err
    assert tried == real
    assert Path("mine.csv").read_text() == "precious"


def test_the_old_items_of_targets_that_fail_are_left_out_and_said(
    swather: Swather, started: Swather, site: Site, database: str
):
    run = scraped(swather, site, database, GOOD)
    fails = 'assert not url.endswith("/3"), "three"\n    ' + GOOD.replace(
        "text()", "text().upper()"
    )
    write(code("async", fails))
    for _ in range(2):
        said = started("replay", run, "scrapers.py", "--db", database)
        assert said.code == 1, said.err
        assert f"{PAGES + 1} tasks: {PAGES} completed, 1 failed." in said.out
        assert f"\n{PAGES} items" in said.out
        assert "1 outdated item was left out of the results, because a target" in said.out
        assert f"Results: pages.jsonl ({PAGES} items)" in said.out
        assert titles() == sorted(title.upper() for title in TITLES if title != "page 3")
        counts = swather("status", run, "--json", "--db", database).data["counts"]
        assert (counts["completed"], counts["items"], counts["outdated"]) == (PAGES, PAGES, 1)
    old = swather("export", run, "--outdated", "-o", "-", "--db", database)
    assert json.loads(old.out) == {"title": "page 3"}
    write(code("async", GOOD))
    said = started("replay", run, "scrapers.py", "--db", database)
    assert said.code == 0, said.err
    assert "outdated item" not in said.out
    assert titles() == TITLES


@pytest.mark.slow
def test_a_replay_writes_only_into_this_folder_unless_it_is_told_to(
    swather: Swather, site: Site, tmp_path: Path
):
    """Where results went is kept in the database, which may say anything."""
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    elsewhere.mkdir()
    run = scraped(swather, site, "sqlite:///swather.db", GOOD)
    Path("pages.jsonl").unlink()
    with sqlite3.connect("swather.db") as db:
        sql = "UPDATE runs SET params = json_set(params, '$._swather.output', ?)"
        db.execute(sql, [str(elsewhere / "pages.jsonl")])
    db.close()
    (elsewhere / "pages.jsonl").write_text("precious")
    said = swather("replay", run, "scrapers.py")
    assert said.code == 2
    assert f"-o {elsewhere}/pages.jsonl" in said.err
    assert (elsewhere / "pages.jsonl").read_text() == "precious"
    assert not Path("pages.jsonl").exists()
    (elsewhere / "pages.jsonl").unlink()
    done(swather, "replay", run, "scrapers.py", "-o", str(elsewhere / "pages.jsonl"))
    assert titles(str(elsewhere / "pages.jsonl")) == TITLES
