import asyncio
import errno
import gc
import threading

import pytest

from swather.errors import Transient
from swather.model.outcome import Completed
from swather.model.retry import Backoff
from swather.runs.why import why_run
from swather.scraping.folder_files import FolderFiles
from swather.scraping.scraper import scraper
from tests.worker.given import Shop, wait_until

AT_ONCE = Backoff(factor=1.0, cap_seconds=0.0, jitter=0.0)


def test_a_saved_file_gets_its_name_after_the_commit(shop: Shop):
    saved, release = threading.Event(), threading.Event()

    @scraper
    def keeper(ctx, target):
        ctx.save(b"a page", name="page.html")
        saved.set()
        release.wait(20)

    run = shop.run(keeper, 1)
    working = shop.start(keeper, run=run)
    assert saved.wait(20)
    assert not (shop.files / "page.html").exists()
    release.set()
    working.report()
    assert (shop.files / "page.html").read_bytes() == b"a page"
    (row,) = shop.store.results.files(run)
    assert (row.name, row.size_bytes) == ("page.html", 6)


def test_a_file_of_an_attempt_that_failed_gets_no_name(shop: Shop):
    @scraper(retries=0)
    async def failing(ctx, target):
        await ctx.save(b"a page", name="page.html")
        raise ValueError

    shop.scrape(failing, 1)
    assert not (shop.files / "page.html").exists()


@scraper
async def saver(ctx, target):
    await ctx.save(b"a page", name="page.html")


@scraper(isolation="process")
def isolated_saver(ctx, target):
    ctx.save(b"a page", name="page.html")


@pytest.mark.slow
@pytest.mark.parametrize("saving", [saver, isolated_saver], ids=lambda one: one.name)
def test_a_full_disk_is_waited_for_and_charged_to_nobody(
    either_shop: Shop, monkeypatch: pytest.MonkeyPatch, saving
):
    shop = either_shop
    space, tried = threading.Event(), threading.Event()
    save = FolderFiles.save

    def save_if_there_is_space(self: FolderFiles, content):
        if space.is_set():
            return save(self, content)
        tried.set()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FolderFiles, "save", save_if_there_is_space)
    monkeypatch.setattr("swather.worker.saving.FULL_SECONDS", 0.2)
    run = shop.run(saving, ["http://shop.example/a"])
    working = shop.start(saving, run=run, beat_seconds=0.1)
    assert tried.wait(20)
    waits = f"is waiting: no space left for files in {shop.files}."
    wait_until(lambda: any(waits in reason.text for reason in why_run(shop.store, run)))
    assert shop.only(run).attempts == 0
    space.set()
    working.report()
    task = shop.only(run)
    assert (task.state, task.attempts, task.error) == ("completed", 1, None)
    assert shop.store.breakers.find() == []


@pytest.mark.slow
def test_the_next_attempt_goes_on_at_the_checkpoint_and_doubles_nothing(either_shop: Shop):
    cursors = []

    @scraper(retries=1, backoff=AT_ONCE)
    async def paged(ctx, target):
        cursors.append(ctx.cursor)
        for page in range(ctx.cursor or 0, 4):
            ctx.emit({"page": page})
            if page == 2 and ctx.attempt == 1:
                raise Transient("the site went away")
            await ctx.save(b"%d" % page, name=f"{page}.txt")
            await ctx.checkpoint(page + 1)

    run, _ = either_shop.scrape(paged, [1])
    assert cursors == [None, 2]
    assert [item["page"] for item in either_shop.items(run)] == [0, 1, 2, 3]
    assert {path.name for path in either_shop.files.glob("*.txt")} == {
        "0.txt", "1.txt", "2.txt", "3.txt",
    }  # fmt: skip


@pytest.mark.slow
def test_checkpoints_at_once_keep_every_item(either_shop: Shop):
    @scraper
    async def several(ctx, target):
        async def one(number: int) -> None:
            ctx.emit({"page": number})
            await ctx.checkpoint(number)

        await asyncio.gather(*map(one, range(10)))

    run, _ = either_shop.scrape(several, [1])
    assert sorted(item["page"] for item in either_shop.items(run)) == list(range(10))


def test_what_a_checkpoint_adds_wakes_other_workers(shop: Shop):
    release, seen = threading.Event(), set()

    @scraper
    def adder(ctx, target):
        if target == 0:
            ctx.add(1)
            ctx.checkpoint("added")
            release.wait(20)
        seen.add(target)

    run = shop.run(adder, [0])
    shop.start(adder, run=run, concurrency=1)
    shop.start(adder, run=run, concurrency=1, poll_seconds=60)
    wait_until(lambda: 1 in seen, 10)
    release.set()


def test_progress_is_in_the_row_of_the_task(shop: Shop):
    release = threading.Event()

    @scraper
    def told(ctx, target):
        ctx.progress(3, 10, note="pages")
        release.wait(20)

    run = shop.run(told, [0])
    shop.start(told, run=run)
    progress = wait_until(lambda: shop.tasks(run)[0].progress)
    release.set()
    assert progress == {"done": 3, "total": 10, "note": "pages"}


@pytest.mark.slow
def test_what_was_committed_is_freed(shop: Shop):
    """Messages are hidden from the collector: a cycle through one would last as long as the worker,
    with the items of its targets.
    """

    @scraper
    async def writing(ctx, target):
        return {"text": "x" * 1_000}

    def alive() -> int:
        gc.collect()
        return sum(type(one) is Completed for one in gc.get_objects())

    before = alive()
    run, _ = shop.scrape(writing, 40)
    assert shop.counts(run) == {"completed": 40}
    assert alive() == before
