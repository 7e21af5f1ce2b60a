"""try --browser, --headed, --screenshot: one target, in a real Chromium."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from swather.testing import FakeSite
from tests.cli.conftest import Swather
from tests.cli.scrapers import write

PAGE = """<h3>raw</h3><script>document.querySelector("h3").textContent = "scripted"</script>"""
PLAIN = """
from swather import scraper


@scraper(allow_private=True)
async def titles(ctx, url):
    page = await ctx.get(url)
    return {"title": page.one("h3").text()}
"""
RENDERED = PLAIN.replace("ctx.get", "ctx.render").replace("(allow", "(browser=True, allow")
BROKEN = RENDERED.replace('one("h3")', 'one("h4")')


pytestmark = [pytest.mark.timeout(180), pytest.mark.usefixtures("chromium")]


@pytest.fixture
def site() -> Iterator[FakeSite]:
    with FakeSite({"/": PAGE}) as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "options", "title"),
    [(PLAIN, [], "raw"), (PLAIN, ["--browser"], "scripted"), (RENDERED, [], "scripted")],
    ids=["without", "asked for", "its own"],
)
def test_pages_are_rendered_if_somebody_wants_it(
    swather: Swather, site: FakeSite, code: str, options: list[str], title: str
):
    write(code)
    said = swather("try", "scrapers.py", site.url + "/", "--json", *options)
    assert said.data["items"] == [{"title": title}]


@pytest.mark.slow
def test_a_screenshot_is_written_of_the_page_that_failed(swather: Swather, site: FakeSite):
    write(BROKEN)
    said = swather("try", "scrapers.py", site.url + "/", "--screenshot", "page.png")
    assert said.code == 1
    assert f"Screenshot of {site.url}/: page.png, " in said.err
    assert Path("page.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "option"), [(PLAIN, "--browser"), (RENDERED, "--screenshot=a.png")]
)
def test_a_fixture_of_rendered_pages_needs_no_browser(
    swather: Swather, site: FakeSite, code: str, option: str
):
    write(code)
    said = swather(
        "try", "scrapers.py", site.url + "/", option, "--save-fixture", "titles.json", "--json"
    )
    assert said.code == 0, said.err
    site.stop()
    try:
        Path("test_titles.py").write_text(f"{said.data['fixture']['test']}\n")
        assert "scripted" in json.dumps(json.loads(Path("titles.json").read_text()))
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_titles.py"],
            env={"PATH": "", "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=False,
            timeout=50,
        )
        assert done.returncode == 0, done.stdout
    finally:
        site.start()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--headed"], "--headed needs a display"),
        (["--screenshot", "page.jpg"], "--screenshot writes a .png file, got 'page.jpg'"),
        (["--screenshot", "no/page.png"], "cannot be written to no/page.png"),
    ],
)
def test_what_cannot_work_is_said_before_anything_is_fetched(
    swather: Swather, site: FakeSite, monkeypatch: pytest.MonkeyPatch, options, said
):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    write(RENDERED)
    answer = swather("try", "scrapers.py", site.url + "/", *options)
    assert answer.code == 2
    assert said in answer.err
    assert answer.err.count("\n") == 1
    assert not site.requests
