"""ctx.download and ctx.save(download), wherever a scraper runs."""

import errno
import threading
from pathlib import Path

import pytest

from swather import posix
from swather.errors import InputError
from swather.model.task_filter import TaskFilter
from swather.scraping.folder_files import FolderFiles
from swather.scraping.scraper import scraper
from swather.testing import run_scraper
from swather.testing.site import Answer
from tests.worker.given import Shop, wait_until
from tests.worker.sites import NotingSite

PNG = b"\x89PNG\r\n\x1a\n" + bytes(400_000)


@scraper
async def on_the_loop(ctx, url):
    picture = await ctx.download()
    assert picture.path.read_bytes() == PNG
    await ctx.download("/unwanted")
    await ctx.save(picture, name="cats/a.png")
    file = await ctx.save(picture, name="dogs/a.png")
    assert not picture.path.exists()
    return {"type": picture.media_type, "announced": picture.announced_type, "is": file.media_type}


@scraper
def in_a_thread(ctx, url):
    picture = ctx.download()
    assert picture.path.read_bytes() == PNG
    ctx.download("/unwanted")
    ctx.save(picture, name="cats/a.png")
    file = ctx.save(picture, name="dogs/a.png")
    assert not picture.path.exists()
    return {"type": picture.media_type, "announced": picture.announced_type, "is": file.media_type}


@scraper(isolation="process")
def in_a_child(ctx, url):
    return in_a_thread.function(ctx, url)


@scraper(isolation="process")
async def on_the_loop_of_a_child(ctx, url):
    return await on_the_loop.function(ctx, url)


EVERYWHERE = [on_the_loop, in_a_thread, in_a_child, on_the_loop_of_a_child]
ITEM = {"type": "image/png", "announced": "image/jpeg", "is": "image/png"}


@pytest.fixture
def pictures(site: NotingSite) -> NotingSite:
    site.routes["/a.png"] = Answer(PNG, headers={"Content-Type": "image/jpeg"})
    return site


def unfinished(shop: Shop) -> list[Path]:
    return list((shop.files / ".content" / "unfinished").glob("*"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", EVERYWHERE, ids=lambda one: one.name)
def test_a_download_is_saved_and_what_is_not_saved_is_gone(shop: Shop, pictures: NotingSite, kind):
    run, report = shop.scrape(kind, [f"{pictures.url}/a.png"])
    assert report.completed == 1, shop.only(run).traceback
    for name in ("cats/a.png", "dogs/a.png"):
        assert (shop.files / name).read_bytes() == PNG
    assert shop.items(run) == [ITEM]
    assert [row.name for row in shop.store.results.files(run)] == ["cats/a.png", "dogs/a.png"]
    assert unfinished(shop) == []
    assert "/robots.txt" in [path for _, path in pictures.asked]


@pytest.mark.parametrize("kind", EVERYWHERE, ids=lambda one: one.name)
def test_run_scraper_downloads_too(kind):
    pages = {"http://a.example/a.png": PNG, "http://a.example/unwanted": b"x"}
    made = run_scraper(kind, "http://a.example/a.png", pages=pages)
    assert made.items == [{**ITEM, "announced": ""}]
    assert made.files == {"cats/a.png": PNG, "dogs/a.png": PNG}


def test_an_attempt_that_fails_leaves_no_file(shop: Shop, pictures: NotingSite):
    @scraper(retries=0)
    async def failing(ctx, url):
        await ctx.download()
        raise ValueError

    shop.scrape(failing, [f"{pictures.url}/a.png"])
    assert unfinished(shop) == []


@pytest.mark.slow
def test_a_child_that_is_killed_leaves_no_file(shop: Shop, pictures: NotingSite):
    run, _ = shop.scrape(downloads_and_dies, [f"{pictures.url}/a.png"])
    assert shop.only(run).reason == "crash"
    assert unfinished(shop) == []


@scraper(isolation="process")
def downloads_and_dies(ctx, url):
    import os  # noqa: PLC0415 - in the child only

    ctx.download()
    os._exit(3)


def test_an_error_of_the_site_is_raised_unless_it_is_wanted(shop: Shop, pictures: NotingSite):
    pictures.routes["/gone"] = Answer(b"gone", 410)

    @scraper
    async def checking(ctx, url):
        gone = await ctx.download(check=False)
        yield {"status": gone.status, "size": gone.size_bytes}
        await ctx.download()

    run, _ = shop.scrape(checking, [f"{pictures.url}/gone"])
    assert shop.only(run).reason == "not_found"
    assert unfinished(shop) == []


def test_a_file_that_the_scraper_has_changed_is_saved_as_it_is(shop: Shop, pictures: NotingSite):
    @scraper
    def changing(ctx, url):
        picture = ctx.download()
        picture.path.write_bytes(b"changed")
        ctx.save(picture, name="a.txt")

    run, _ = shop.scrape(changing, [f"{pictures.url}/a.png"])
    assert (shop.files / "a.txt").read_bytes() == b"changed"
    (row,) = shop.store.results.files(run)
    assert row.size_bytes == 7
    assert unfinished(shop) == []


def test_a_download_of_another_attempt_cannot_be_saved(shop: Shop, pictures: NotingSite):
    kept = []

    @scraper(retries=0, in_flight=1)
    async def keeping(ctx, url):
        if kept:
            await ctx.save(kept[0], name="a.png")
        kept.append(await ctx.download())

    urls = [f"{pictures.url}/a.png", f"{pictures.url}/a.png?again"]
    run, _ = shop.scrape(keeping, urls, concurrency=1)
    assert shop.counts(run) == {"completed": 1, "failed": 1}
    (failed,) = (task for task in shop.tasks(run).values() if task.state == "failed")
    assert "was not downloaded by this attempt" in failed.error


def test_a_full_disk_postpones_a_download(
    shop: Shop, pictures: NotingSite, monkeypatch: pytest.MonkeyPatch
):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FolderFiles, "open_new", full)
    run = shop.run(on_the_loop, [f"{pictures.url}/a.png"])
    working = shop.start(on_the_loop, run=run)
    wait_until(lambda: shop.counts(run) == {"scheduled": 1})
    working.stop()
    assert shop.only(run).attempts == 0
    assert unfinished(shop) == []


def test_a_download_that_is_stopped_leaves_no_file(shop: Shop, site: NotingSite):
    began, let_go = threading.Event(), threading.Event()

    def slowly(_):
        began.set()
        let_go.wait(20)
        return Answer(b"late")

    site.routes["/slow"] = slowly

    @scraper
    async def waiting(ctx, url):
        await ctx.download()

    run = shop.run(waiting, [f"{site.url}/slow"])
    working = shop.start(waiting, run=run)
    assert began.wait(20)
    let_go.set()
    working.stop(now=True)
    assert unfinished(shop) == []


def test_what_dead_processes_left_is_swept_and_what_others_do_is_not(shop: Shop):
    files = FolderFiles(shop.files)
    mine = files.new_path()
    machine, _, _, token = mine.name.split(".")
    dead = mine.with_name(f"{machine}.{posix.process_id}.1.{token}")
    elsewhere = mine.with_name(f"{'0' * 16}.1.1.{token}")
    files.make()
    for path in (mine, dead, elsewhere):
        path.write_bytes(b"half")
    run, _ = shop.scrape(nothing, [1])
    assert run
    assert sorted(unfinished(shop)) == sorted([mine, elsewhere])


@scraper
async def nothing(ctx, target):
    pass


def test_bad_limits_are_refused():
    @scraper
    async def asking(ctx, url):
        await ctx.download(max_bytes=target_of(ctx))

    def target_of(ctx):
        return ctx.params["most"]

    for wrong in (0, -1, 1.5, True, "1"):
        with pytest.raises(InputError, match="max_bytes must be a whole number"):
            run_scraper(asking, "http://a.example/", params={"most": wrong})


def test_a_replay_has_no_downloads(shop: Shop, pictures: NotingSite):
    run, _ = shop.scrape(on_the_loop, [f"{pictures.url}/a.png"])
    shop.store.tasks.retry(TaskFilter(run=run), anew=True)
    shop.start(on_the_loop, run=run, replay=True).report()
    assert shop.only(run).reason == "not_stored"
    assert "those are not stored for a replay" in shop.only(run).error
