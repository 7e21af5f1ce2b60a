"""The scenes of the tour: what goes wrong, or is changed, and what a person is told of it."""

import re
import time

from swather.testing.site import Answer, FakeSite
from tests.tour.stage import NAMED_SECONDS, Missed, Stage, seconds_of

PACED = """
from swather import scraper

@scraper(lane="shop", rate="100/s")
async def paced(ctx, number):
    return {"number": number}
"""
BROKEN = """
import asyncio
from swather import scraper

@scraper(lane="shop", retries=0)
async def broken(ctx, number):
    await asyncio.sleep(0.2)
    if int(number) > 40:
        raise ValueError("the page has no title")
    return {"number": number}
"""
HANGING = """
import asyncio
from swather import scraper

@scraper(timeout=30)
async def hanging(ctx, number):
    await asyncio.sleep(3_600)
"""
SLOW = """
import asyncio
from swather import scraper

@scraper(timeout=30)
async def slow(ctx, number):
    await asyncio.sleep(0.05)
    return {"number": number}
"""
PAGES = """
from swather import scraper

@scraper(timeout=30, allow_private=True)
async def site(ctx, url):
    page = await ctx.get(url)
    return {"status": page.status}
"""
FAILING = """
from swather import Transient, scraper

@scraper(retries=3)
async def failing(ctx, number):
    raise Transient("the site says: come back later", after=20)
"""


def _numbers(stage: Stage, count: int) -> tuple[str, str]:
    (stage.folder / "numbers.txt").write_text("\n".join(map(str, range(1, count + 1))))
    return "--targets", "numbers.txt"


def _is_right(told: float | None, came: float, what: str) -> str:
    if told is None:
        return f"{what} said the ETA was unknown; it took {came:.1f} s"
    if abs(told - came) > 0.25 * came + 1.0:
        raise Missed(f"{what} said {told:.0f} s, and it took {came:.1f} s")
    return f"{what} said {told:.0f} s, and it took {came:.1f} s"


def a_rate_change(stage: Stage, targets: int = 1_500) -> None:
    """Somebody slows a lane down."""
    stage.write("paced.py", PACED)
    with stage.terminal("run", "paced.py", *_numbers(stage, targets)) as terminal:
        terminal.until(r"\d\d\d of 1,500.*/s\s+ETA ~")
        stage.say(terminal.screen.text)
        stage.show("lanes", "set", "shop", "--rate", "40/s")
        since = time.monotonic()
        stage.watched(terminal, since, "limited by lane shop at 40/s")
        while time.monotonic() < since + NAMED_SECONDS:
            terminal.look()
        view, at = seconds_of(terminal.screen.text), time.monotonic()
        status = seconds_of(stage.show("status", "paced"))
        terminal.end()
        came = time.monotonic() - at
    stage.say(terminal.screen.text)
    stage.say(_is_right(view, came, "the live view"))
    stage.say(_is_right(status, came, "status"))


def a_cool_down(stage: Stage) -> None:
    """A site wants to be left alone."""
    stage.write("paced.py", PACED)
    with stage.terminal("run", "paced.py", *_numbers(stage, 800)) as terminal:
        terminal.until(r"\d\d\d of 800.*ETA ~")
        stage.show("lanes", "cool", "shop", "--for", "10s")
        since = time.monotonic()
        stage.watched(terminal, since, "Lane shop is cooling down for another")
        status = stage.show("status", "paced")
        if "Lane shop is cooling down for another" not in status:
            raise Missed("status does not name the cool-down")
        view, at = seconds_of(terminal.look(0.5)), time.monotonic()
        terminal.end()
        came = time.monotonic() - at
    stage.say(_is_right(view, came, "the live view"))
    stage.say(_is_right(seconds_of(status), came, "status"))


def a_breaker(stage: Stage) -> None:
    """A scraper that fails everywhere."""
    stage.write("broken.py", BROKEN)
    with stage.terminal("run", "broken.py", *_numbers(stage, 500)) as terminal:
        terminal.until("failed [1-9]")
        stage.watched(
            terminal, time.monotonic(), "The breaker of broken on lane shop has been open"
        )
        terminal.until("ETA unknown", stage.named_seconds)
        stage.say(terminal.screen.text)
        status = stage.show("status", "broken")
        if "swather lanes unpause shop" not in status or "unknown" not in status:
            raise Missed("status does not say how to close the breaker")
        stage.show("why", "broken")


def a_hung_target(stage: Stage) -> None:
    """Five targets that never end."""
    stage.write("hanging.py", HANGING)
    with stage.terminal("run", "hanging.py", *"12345") as terminal:
        terminal.until("running [1-9]")
        stage.watched(
            terminal, time.monotonic(), r"Waiting for 5 running targets; the oldest has run for"
        )
        if "ETA unknown" not in terminal.screen.text:
            raise Missed("nothing moves, and there is an ETA")
        status = stage.show("status", "hanging")
        if not re.search(r"ETA\s+unknown", status):
            raise Missed("status estimates what nobody knows")
        number = re.search(r"swather why (\d+)", status)
        if number is None:
            raise Missed("status does not say how to look at the oldest target")
        stage.show("why", number[1])
        stage.show("tasks", "--stuck")
        stage.show("tasks", "--state", "leased")


def a_paused_run(stage: Stage) -> None:
    """Somebody has paused it."""
    stage.write("slow.py", SLOW)
    with stage.terminal("run", "slow.py", *_numbers(stage, 3_000)) as terminal:
        terminal.until(r"\d\d\d of 3,000")
        stage.show("pause", "slow")
        stage.watched(terminal, time.monotonic(), "The run is paused.")
        stage.show("status", "slow")
        stage.show("unpause", "slow")
        terminal.until("ETA ~")
        stage.say(terminal.screen.text)


def a_silent_robots_txt(stage: Stage) -> None:
    """A site that does not answer when it is asked for its robots.txt."""
    stage.write("site.py", PAGES)
    routes = {"/robots.txt": Answer(seconds=25.0), "/": "<h1>Here</h1>"}
    with (
        FakeSite(routes) as site,
        stage.terminal("run", "site.py", f"{site.url}/") as terminal,
    ):
        terminal.until("running 1")
        stage.watched(terminal, time.monotonic(), "for robots.txt")
        stage.show("status", "site")


def waiting_to_retry(stage: Stage) -> None:
    """A site that says: later."""
    stage.write("failing.py", FAILING)
    with stage.terminal("run", "failing.py", *"123") as terminal:
        terminal.until("retries 3")
        stage.watched(terminal, time.monotonic(), "3 tasks are waiting to retry")
        stage.show("status", "failing")


def a_worker_without_the_code(stage: Stage) -> None:
    """It can do nothing of what waits."""
    stage.write("slow.py", SLOW)
    stage.show("enqueue", "slow.py", *_numbers(stage, 100))
    said = stage.swather("worker")
    stage.say(f"$ swather worker\n{said.text}\n(exit code {said.code})")
    if said.code != 2:
        raise Missed(f"the exit code was {said.code}")
    stage.show("status", "slow")


def a_narrower_terminal(stage: Stage) -> None:
    """Somebody drags the window."""
    stage.write("slow.py", SLOW)
    with stage.terminal("run", "slow.py", *_numbers(stage, 2_000), columns=140) as terminal:
        terminal.until(r"\d\d\d of 2,000")
        for columns in (100, 80, 120, 80):
            terminal.resize(columns)
            terminal.look(1.0)
        stage.say(terminal.screen.text)
        bars = [row for row in terminal.screen.rows if " of 2,000" in row]
        if len(bars) != 1:
            raise Missed(f"{len(bars)} bars are on the screen:\n{terminal.screen.text}")


SCENES = (
    a_rate_change,
    a_cool_down,
    a_breaker,
    a_hung_target,
    a_paused_run,
    a_silent_robots_txt,
    waiting_to_retry,
    a_worker_without_the_code,
    a_narrower_terminal,
)
