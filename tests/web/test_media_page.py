"""The page of media: from a query to thumbnails and an archive, in a real browser with a real
worker; and what it refuses.
"""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from swather.model.outcome import File
from swather.store import Store
from tests.builtin.media.stand_ins import StandIn, hang, picture
from tests.store.given import a_run, a_worker, claim, completed, finish
from tests.web.seen import HOSTILE, assert_only_for_reading, assert_shown_as_text, done, words

if TYPE_CHECKING:
    from playwright.sync_api import Page

SHA = "ab" * 32


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that server and worker run in."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def sources(project: Path) -> Iterator[list[StandIn]]:
    """Two that answer, and one that does not send its second file."""
    sizes = {"openverse": 3, "wikimedia_commons": 2, "bing_images": 2}
    found = [StandIn(name, pictures=size) for name, size in sizes.items()]
    # The browser's event loop runs in this thread.
    with ThreadPoolExecutor() as threads:
        list(threads.map(StandIn.start, found))
    found[2].misbehaving[f"/files/{found[2].pictures[1]}"] = hang
    urls = ", ".join(f'{site.source} = "{site.url}"' for site in found)
    (project / "swather.toml").write_text(
        f'[scrapers.media.params]\nsource_timeout = ["3"]\nsource_url = {{ {urls} }}\n'
    )
    yield found
    for site in found:
        site.stop()


@pytest.fixture
def worker(sqlite: Store, project: Path) -> Iterator[None]:
    command = [
        sys.executable,
        "-m",
        "swather.cli",
        "worker",
        "media",
        "--forever",
        "--db",
        sqlite.url,
    ]
    process = subprocess.Popen(
        command, cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    yield
    process.terminate()
    process.wait()


@pytest.mark.slow
@pytest.mark.usefixtures("worker")
def test_a_query_becomes_thumbnails_and_an_archive(
    page: "Page", sqlite: Store, sources: list[StandIn]
) -> None:
    page.goto("/media")
    page.get_by_label("What to look for").fill("red bicycle")
    wanted = [site.source for site in sources]
    for box in page.locator("input[name=sources]:enabled").all():
        box.set_checked(box.get_attribute("value") in wanted)
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_url("**/media/*-media")
    # Without a reload from here on.
    page.get_by_text("openverse: 3 found").wait_for()
    page.get_by_text("wikimedia_commons: 2 found").wait_for()
    page.get_by_text("bing_images: 1 found, cut at 3 s").wait_for()
    pictures = page.locator(".masonry img")
    pictures.nth(5).wait_for()
    assert pictures.count() == 6
    for number in range(6):
        pictures.nth(number).scroll_into_view_if_needed()
        loaded = "(each) => each.decode().then(() => each.naturalWidth)"
        assert pictures.nth(number).evaluate(loaded) == 64
    figures = dict(zip(*_texts(page, ".figures dt", ".figures dd"), strict=True))
    assert figures == {
        "files": "6",
        "pictures": "6",
        "videos": "0",
        "sources succeeded": "2",
        "sources failed": "1",
        "queries done": "1 of 1",
    }
    page.get_by_text("Statistics").click()
    assert "Timeout after 3s" in page.get_by_role("row", name="bing_images").inner_text()
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download as zip").click()
    content = Path(downloading.value.path()).read_bytes()
    with zipfile.ZipFile(BytesIO(content)) as archive:
        assert archive.testzip() is None
        saved = {archive.read(name) for name in archive.namelist()}
    first, second, third = sources
    names = [*first.pictures, *second.pictures, third.pictures[0]]
    assert saved == {picture(name) for name in names}
    (run,) = sqlite.runs.find()
    assert done(sqlite) == [("run start", "media")]
    assert sqlite.runs.counts(run.name).files == 6


def _texts(page: "Page", *css: str) -> list[list[str]]:
    return [page.locator(each).all_inner_texts() for each in css]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"queries": " \n "}, "say what to look for"),
        ({"queries": "x\n" * 1_001}, "1,001 queries are more than a form takes"),
        ({"sources": []}, "tick at least one source"),
        ({"sources": ["<b>"]}, "no source is named"),
        ({"per_source": "0"}, "a number from 1 to 500"),
        ({"per_source": "x"}, "a number from 1 to 500"),
        ({"kind": "music"}, "expected one of image, video, both"),
    ],
)
def test_what_is_wrong_is_said_on_the_form(
    sqlite_client: TestClient, sqlite: Store, given: dict[str, object], said: str
) -> None:
    form = {"queries": "cats", "sources": ["openverse"], **given}
    answer = sqlite_client.post("/media", data=form)
    assert answer.status_code == 422
    assert said in words(LexborHTMLParser(answer.text).css_first(".notice"))
    assert sqlite.runs.find() == []


def a_file(store: Store, media_type: str, item: dict[str, object]) -> str:
    run = a_run(store, 1, scraper="media")
    (lease,) = claim(store, a_worker(store), 1)
    file = File(name="../x.svg", sha256=SHA, size_bytes=5, media_type=media_type)
    finish(store, completed(lease, item, files=[file]))
    return run


def test_what_sources_say_is_shown_as_text(client: TestClient, store: Store) -> None:
    run = a_file(
        store,
        "image/svg+xml",
        {
            "type": "file",
            "sha256": SHA,
            "title": HOSTILE,
            "author": HOSTILE,
            "licence": HOSTILE,
            "source": HOSTILE,
            "page_url": "javascript:alert(2)",
            "width": -5,
        },
    )
    assert_shown_as_text(client, f"/media/{run}")
    text = client.get(f"/media/{run}").text
    assert "javascript:" not in text
    # What can run code is not drawn.
    assert "<img" not in text


def test_an_archive_says_which_files_are_elsewhere(client: TestClient, store: Store) -> None:
    run = a_file(store, "image/jpeg", {"type": "file", "sha256": SHA})
    with zipfile.ZipFile(BytesIO(client.get(f"/media/{run}/zip").content)) as archive:
        assert archive.namelist() == ["x.svg.missing.txt"]
        assert b"is not on this machine" in archive.read("x.svg.missing.txt")
    for position in ("abc", "-1", "9" * 40, "1 OR 1"):
        assert client.get(f"/media/{run}/files/{position}").status_code == 422


def test_only_runs_of_media_have_this_page(client: TestClient, store: Store) -> None:
    run = a_run(store, 1, scraper="books")
    for address in ("", "/zip", "/files/1"):
        assert client.get(f"/media/{run}{address}").status_code == 404
    assert client.get("/media/nothing").status_code == 404
    empty = a_run(store, 1, scraper="media")
    assert client.get(f"/media/{empty}/zip").status_code == 404


def test_a_reader_searches_nothing(sqlite_client: TestClient, sqlite: Store) -> None:
    assert_only_for_reading(sqlite_client, "/media")
    answer = sqlite_client.post("/media", data={"queries": "cats", "sources": ["openverse"]})
    assert answer.status_code == 403
    assert sqlite.runs.find() == []
