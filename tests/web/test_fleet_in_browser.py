"""A person who starts a scraper, and gives it workers, in a real browser."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from swather.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

SCRAPER = """
import asyncio
from dataclasses import dataclass
from typing import Annotated
from swather import scraper

@dataclass
class Params:
    pages: Annotated[int, "How many pages."] = 3

@scraper(params=Params)
async def slow(ctx, target):
    await asyncio.sleep(0.5)
    return {"pages": ctx.params.pages}
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that server and fleet run in."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "slow.py").write_text(SCRAPER)
    (folder / "swather.toml").write_text('[scrapers.slow]\npath = "slow.py"\n')
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def fleet(sqlite: Store, project: Path) -> Iterator["subprocess.Popen[bytes]"]:
    what = ["fleet", "up", "--workers", "1", "--yes", "--name", "home", "--db", sqlite.url]
    process = subprocess.Popen(
        [sys.executable, "-m", "swather.cli", *what],
        cwd=project,
        env={**os.environ, "SWATHER_STAGGER_SECONDS": "0"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield process
    process.terminate()
    process.wait()


def test_a_scraper_is_started_and_its_fleet_scaled_and_stopped(
    page: "Page", sqlite: Store, fleet: "subprocess.Popen[bytes]"
) -> None:
    page.set_default_timeout(60_000)
    page.goto("/start")
    page.get_by_role("link", name="slow", exact=True).click()
    page.get_by_label("What to scrape").fill("\n".join(f"target {n}" for n in range(400)))
    page.get_by_label("pages").fill("many")
    page.get_by_role("button", name="Start slow").click()
    page.get_by_text("expected int, got 'many'").wait_for()
    page.get_by_label("pages").fill("7")
    page.get_by_role("button", name="Start slow").click()
    page.wait_for_url("**/runs/*-slow")
    (run,) = sqlite.runs.find()
    assert run.scraper_params == {"pages": 7}

    page.goto("/workers")
    page.get_by_text("1 running, 1 wanted").wait_for()
    page.get_by_role("spinbutton", name="Workers").fill("2")
    page.get_by_text("2 workers: about").wait_for()
    page.get_by_role("button", name="Scale").click()
    page.get_by_text("2 running, 2 wanted").wait_for()
    page.get_by_role("rowheader", name="home-1").wait_for()
    page.locator("#workers .squares .s-running[title^='target ']").first.wait_for()

    page.locator("#fleets").get_by_role("link", name="Stop…").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop 2 workers").click()
    page.get_by_text("It went down").wait_for()
    assert fleet.wait(60) == 0
    verbs = [action.verb for action in reversed(sqlite.actions.find())]
    assert verbs == ["run start", "fleet scale", "fleet stop"]
