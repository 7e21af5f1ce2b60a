"""Which folder the files of a run go to, whoever works on it."""

from pathlib import Path

import pytest

from swather.model.run import with_reserved
from swather.scraping.folder_files import FolderFiles
from swather.scraping.scraper import scraper
from swather.worker import Worker
from tests.worker.given import Shop, Working


@scraper(files_folder="films")
async def films(ctx, target):
    await ctx.save(b"a film", name="x/a.mp4")


@scraper
async def books(ctx, target):
    await ctx.save(b"a book", name="x/a.pdf")
    await ctx.checkpoint(1)
    await ctx.save(b"a cover", name="x/cover.jpg")


def work(shop: Shop, **options) -> None:
    scrapers = {"films": films, "books": books}
    Working(Worker(url=shop.store.url, scrapers=scrapers, **options)).report()


def files_in(folder: Path) -> list[str]:
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(str(path) for path in found if ".content" not in path.parts)


@pytest.mark.slow
def test_a_worker_of_two_scrapers_has_two_folders(
    either_shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    either_shop.run(films, 1)
    either_shop.run(books, 1)
    work(either_shop)
    assert files_in(tmp_path / "films") == ["x/a.mp4"]
    assert files_in(tmp_path / "files") == ["x/a.pdf", "x/cover.jpg"]
    assert either_shop.store.results.unlinked() == []


def test_a_setting_overrides_the_decorator_and_the_run_overrides_both(shop: Shop, tmp_path: Path):
    shop.run(films, 1)
    named = tmp_path / "named"
    FolderFiles(named).make()
    shop.run(books, 1, params=with_reserved({}, {"files_folder": str(named)}))
    work(shop, files_folder=tmp_path / "set")
    assert files_in(tmp_path / "set") == ["x/a.mp4"]
    assert files_in(named) == ["x/a.pdf", "x/cover.jpg"]


@pytest.mark.parametrize("wrong", ["{tmp_path}/elsewhere", "{tmp_path}/taken", "../up", "", 7])
def test_a_database_cannot_send_files_to_where_no_person_did(
    shop: Shop, tmp_path: Path, caplog: pytest.LogCaptureFixture, wrong
):
    (tmp_path / "taken").mkdir()
    folder = wrong.format(tmp_path=tmp_path) if isinstance(wrong, str) else wrong
    shop.run(films, 1, params=with_reserved({}, {"files_folder": folder}))
    work(shop, files_folder=tmp_path / "own")
    assert files_in(tmp_path / "own") == ["x/a.mp4"]
    assert files_in(tmp_path / "taken") == []
    assert not (tmp_path / "elsewhere").exists()
    if str(folder).startswith("/"):
        assert f"names the output folder {folder}, which is not on this machine" in caplog.text


@pytest.mark.slow
def test_files_of_a_dead_worker_are_named_in_the_folder_of_their_run(
    either_shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The same content is in both folders, so that a wrong choice would be seen."""
    monkeypatch.chdir(tmp_path)
    shop = either_shop
    for folder in ("films", "files"):
        FolderFiles(tmp_path / folder).save(b"a film")
    with monkeypatch.context() as patched:
        patched.setattr("swather.worker.saving.Saving.link", lambda *_: None)
        shop.run(films, 1)
        work(shop)
    assert files_in(tmp_path / "films") == []
    Working(Worker(url=shop.store.url, scrapers={"books": books})).report()
    assert files_in(tmp_path / "files") == files_in(tmp_path / "films") == []
    work(shop)
    assert files_in(tmp_path / "films") == ["x/a.mp4"]
    assert files_in(tmp_path / "files") == []
