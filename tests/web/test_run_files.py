"""Files that runs have saved, on pages: shown or downloaded, and never run."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from swather.model.outcome import File
from swather.model.run import NewRun, with_reserved
from swather.model.task import Target
from swather.scraping.folder_files import FolderFiles
from swather.store import Store
from swather.web.pages import run_files
from tests.store.given import a_task, a_worker, claim, completed, finish
from tests.web.html import read
from tests.web.test_tasks_pages import HOSTILE, refuse_markup

if TYPE_CHECKING:
    from playwright.sync_api import Page

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>document.title="ran"</script></svg>'
HTML = b"<title>quiet</title><script>document.title='ran'</script>"
# The smallest picture that a browser draws: one transparent pixel.
GIF = bytes.fromhex(
    "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b"
)


def a_run_with_files(store: Store, folder: Path, *saved: tuple[str, str, bytes]) -> str:
    files = FolderFiles(folder)
    files.make()
    noted = with_reserved({}, {"files_folder": str(folder)})
    run = store.runs.create(NewRun(scraper="books", params=noted)).name
    task = a_task(store, run, Target(value=1))
    rows = []
    for name, media_type, content in saved:
        digest, size = files.save(content)
        rows.append(File(name=name, sha256=digest, size_bytes=size, media_type=media_type))
    (lease,) = claim(store, a_worker(store), runs=(run,))
    assert lease.task_id == task
    finish(store, completed(lease, files=rows))
    return run


def test_files_are_thumbnails_or_downloads(
    client: TestClient, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(run_files, "PAGE", 2)
    run = a_run_with_files(
        store,
        tmp_path / "files",
        ("a.gif", "image/gif", GIF),
        ("b.svg", "image/svg+xml", SVG),
        (f"{HOSTILE}.html".replace("/", "_"), "text/html", HTML),
    )
    page = read(client, f"/runs/{run}/files")
    assert "3 files" in page.text("main")
    older = read(client, page.attributes("a[rel=next]", "href")[0])
    refuse_markup(page.html + older.html, 40_000)
    assert len(page.texts("figure")) == 2
    assert len(page.attributes("img", "src")) == 0
    (picture,) = older.attributes("img", "src")
    assert client.get(picture).content == GIF
    for address in page.attributes("figcaption a[download]", "href"):
        answer = client.get(address)
        assert answer.content in (SVG, HTML)
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["content-disposition"].startswith("attachment")


@pytest.mark.slow
def test_a_saved_page_or_drawing_cannot_run_script_in_a_browser(
    page: "Page", sqlite: Store, tmp_path: Path
):
    run = a_run_with_files(
        sqlite,
        tmp_path / "files",
        ("a.gif", "image/gif", GIF),
        ("says-gif.gif", "image/gif", HTML),
        ("b.svg", "image/svg+xml", SVG),
        ("c.html", "text/html", HTML),
    )
    page.goto(f"/runs/{run}/files")
    page.evaluate("Promise.allSettled([...document.images].map((image) => image.decode()))")
    drawn = "images => images.map(image => image.naturalWidth)"
    assert sorted(page.eval_on_selector_all("figure img", drawn)) == [0, 1]
    for name in ("b.svg", "c.html"):
        with page.expect_download() as saved:
            page.click(f"figcaption a:has-text('{name}')")
        assert saved.value.suggested_filename == name
        assert page.title() != "ran"
    # Even framed or opened as what it says it is, it is nothing but bytes.
    for link in page.eval_on_selector_all("figcaption a[dir=auto]", "all => all.map(a => a.href)"):
        ran = page.evaluate(
            """async (link) => {
                const answer = await fetch(link);
                const policy = answer.headers.get("content-security-policy");
                return [policy, answer.headers.get("x-content-type-options")];
            }""",
            link,
        )
        assert ran == ["default-src 'none'; sandbox", "nosniff"]
    gif = page.get_attribute("figure:has-text('says-gif') a", "href")
    page.goto(str(gif))
    assert page.title() != "ran"
    assert "<script" not in page.content()
