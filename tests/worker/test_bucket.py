"""Workers that save files in a bucket, which may go away while they do."""

import asyncio
import threading
from typing import Any

import pytest

from swather.file_location import read_location
from swather.model.outcome import File
from swather.model.run import with_reserved
from swather.net.bucket import BucketAccess
from swather.runs.why import why_run
from swather.scraping.bucket_files import BucketFiles
from swather.scraping.scraper import scraper
from swather.worker import Worker
from swather.worker.parts import DISK_THREADS
from tests.fake_s3 import ACCESS_KEY, SECRET_KEY, FakeS3
from tests.worker.given import Shop, Working, until, wait_until
from tests.worker.sites import NotingSite

FOLDER = read_location("s3://bucket/saved")


@pytest.fixture
def s3():
    with FakeS3() as served:
        yield served


def start(shop: Shop, s3: FakeS3, *scrapers, folder=FOLDER) -> Working:
    access = BucketAccess(endpoint=s3.endpoint, access_key=ACCESS_KEY, secret_key=SECRET_KEY)
    return Working(
        Worker(
            url=shop.store.url,
            scrapers={one.name: one for one in scrapers},
            files_folder=folder,
            bucket_access=access,
            beat_seconds=0.1,
        )
    )


@scraper
async def pages(ctx, target):
    await ctx.save(b"first", name=f"{target}/a.html")
    await ctx.checkpoint(1)
    await ctx.save(f"page {target}".encode(), name=f"{target}/b.html")
    return {"there": sorted(await ctx.files_named([f"{target}/b.html", "none.html"]))}


@scraper(isolation="process")
def isolated(ctx, target):
    ctx.save(b"page", name="a.html")
    return {"there": sorted(ctx.files_named(["a.html", "none.html"]))}


@pytest.mark.slow
def test_files_of_several_workers_are_in_one_bucket(either_shop: Shop, s3: FakeS3):
    run = either_shop.run(pages, 6)
    workers = [start(either_shop, s3, pages) for _ in range(2)]
    for working in workers:
        working.report()
    assert either_shop.counts(run) == {"completed": 6}
    assert s3.named() == {
        f"saved/{n}/{name}": content
        for n in range(6)
        for name, content in (("a.html", b"first"), ("b.html", f"page {n}".encode()))
    }
    assert either_shop.store.results.unlinked() == []


@pytest.mark.slow
@pytest.mark.parametrize("way", ["loop", "process"])
def test_a_bucket_that_is_away_is_waited_for_and_nobody_is_charged(
    shop: Shop, s3: FakeS3, monkeypatch: pytest.MonkeyPatch, caplog, way
):
    monkeypatch.setattr("swather.worker.saving.AWAY_SECONDS", 0.1)
    fetched = []

    @scraper(timeout=0.5, retries=0)
    async def fetching(ctx, target):
        fetched.append(target)
        await ctx.save(b"page", name="a.html")

    saving = fetching if way == "loop" else isolated
    s3.stop()
    run = shop.run(saving, 1)
    working = start(shop, s3, saving)
    waits = f"is waiting: s3://bucket/saved cannot be reached at {s3.endpoint}: no connection."
    wait_until(lambda: any(waits in reason.text for reason in why_run(shop.store, run)))
    s3.start()
    working.report()
    task = shop.only(run)
    assert (task.state, task.attempts, task.error) == ("completed", 1, None)
    assert s3.named() == {"saved/a.html": b"page"}
    assert len(fetched) == (way == "loop")
    assert "files can be saved again in s3://bucket/saved" in caplog.text


def test_a_bucket_that_hangs_holds_up_no_request(
    shop: Shop, s3: FakeS3, site: NotingSite, monkeypatch: pytest.MonkeyPatch
):
    hanging, let_go = threading.Semaphore(0), threading.Event()
    save_file = BucketFiles.save_file

    def hang(*given: Any) -> File:
        hanging.release()
        let_go.wait()
        return save_file(*given)

    monkeypatch.setattr(BucketFiles, "save_file", hang)

    @scraper
    async def pages(ctx, target):
        if target["number"] < DISK_THREADS:
            await ctx.save(b"page", name=f"{target['number']}.html")
            return
        for _ in range(DISK_THREADS):
            await asyncio.to_thread(hanging.acquire)
        await ctx.get(target["url"])
        let_go.set()

    run = shop.run(pages, [{"url": site.url, "number": n} for n in range(DISK_THREADS + 1)])
    start(shop, s3, pages).report()
    assert shop.counts(run) == {"completed": DISK_THREADS + 1}


@pytest.mark.slow
def test_names_that_were_due_while_it_was_away_are_given_afterwards(
    shop: Shop, s3: FakeS3, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("swather.worker.upkeep.SWEEP_SECONDS", 0.1)
    saved, is_away = threading.Event(), threading.Event()

    @scraper
    async def pausing(ctx, target):
        await ctx.save(b"page", name="a.html")
        saved.set()
        await until(is_away)
        await ctx.checkpoint(1)
        await until(is_back)

    is_back = threading.Event()
    shop.run(pausing, 1)
    working = start(shop, s3, pausing)
    assert saved.wait(20)
    s3.stop()
    is_away.set()
    wait_until(lambda: shop.store.results.unlinked() != [])
    assert s3.named() == {}
    s3.start()
    wait_until(lambda: s3.named() == {"saved/a.html": b"page"})
    wait_until(lambda: shop.store.results.unlinked() == [])
    is_back.set()
    working.report()


@pytest.mark.slow
def test_a_stopped_worker_gives_back_what_waits_for_the_bucket(
    shop: Shop, s3: FakeS3, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("swather.worker.saving.AWAY_SECONDS", 0.05)
    s3.stop()
    run = shop.run(pages, 1)
    working = start(shop, s3, pages)
    wait_until(lambda: bool(why_run(shop.store, run)) and shop.counts(run) == {"leased": 1})
    working.worker.stop(now=True)
    working.report()
    assert shop.counts(run) == {"ready": 1}


@pytest.mark.parametrize(
    ("noted", "own", "goes_to"),
    [
        ("s3://bucket/other", "s3://bucket/saved", "other/"),
        ("s3://elsewhere/x", "s3://bucket/saved", "saved/"),
        ("s3://bucket/../x", "s3://bucket/saved", "saved/"),
    ],
)
def test_a_run_may_name_another_folder_of_the_workers_own_bucket(
    shop: Shop, s3: FakeS3, caplog, noted, own, goes_to
):
    shop.run(pages, 1, params=with_reserved({}, {"files_folder": noted}))
    start(shop, s3, pages, folder=read_location(own)).report()
    assert all(key.startswith(goes_to) for key in s3.named())
    is_told = "is in a bucket that files_folder does not name here" in caplog.text
    assert is_told == (noted == "s3://elsewhere/x")


def test_a_worker_with_a_folder_takes_no_bucket_from_the_database(shop: Shop, s3: FakeS3, tmp_path):
    shop.run(pages, 1, params=with_reserved({}, {"files_folder": "s3://bucket/x"}))
    start(shop, s3, pages, folder=tmp_path / "own").report()
    assert s3.objects == {}
    assert (tmp_path / "own/0/b.html").read_bytes() == b"page 0"
