"""Threads and tasks that a scraper leaves behind when it returns."""

import asyncio
import logging
import threading
import time
from pathlib import Path

import pytest

from swather.errors import AttemptOver
from swather.model.outcome import Item
from swather.scraping.attempt import Collected
from swather.scraping.scraper import Scraper, scraper
from tests.worker.given import Shop

pytestmark = pytest.mark.slow

tasks: set[asyncio.Task] = set()


def wait_for(path: Path) -> None:
    until = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < until, f"{path} does not appear"
        time.sleep(0.005)


async def wait_for_async(path: Path) -> None:
    await asyncio.to_thread(wait_for, path)


def errors_of(*calls) -> str:
    names = []
    for call in calls:
        try:
            call()
            names.append("nothing")
        except Exception as error:  # noqa: BLE001 - the test shall see it
            names.append(type(error).__name__)
    return " ".join(names)


def left_behind(ctx, folder: Path) -> None:
    """What a thread of 'a' does while 'b' runs."""
    wait_for(folder / "b-began")
    said = errors_of(
        lambda: ctx.emit({"late": 1}),
        lambda: ctx.add("late"),
        lambda: ctx.checkpoint({"late": 2}),
        lambda: ctx.save(b"late", name="late.txt"),
        lambda: ctx.progress(1),
        lambda: ctx.get("http://127.0.0.1:1/"),
        lambda: ctx.sleep(0),
    )
    (folder / "said.part").write_text(said)
    (folder / "said.part").rename(folder / "said")


async def left_behind_async(ctx, folder: Path) -> None:
    await wait_for_async(folder / "b-began")
    names = []
    for verb in (
        lambda: ctx.checkpoint({"late": 2}),
        lambda: ctx.save(b"late", name="late.txt"),
        lambda: ctx.progress(1),
        lambda: ctx.get("http://127.0.0.1:1/"),
        lambda: ctx.sleep(0),
    ):
        try:
            await verb()
            names.append("nothing")
        except Exception as error:  # noqa: BLE001 - the test shall see it
            names.append(type(error).__name__)
    said = errors_of(lambda: ctx.emit({"late": 1}), lambda: ctx.add("late"))
    (folder / "said.part").write_text(" ".join([said, *names]))
    (folder / "said.part").rename(folder / "said")


def plain(ctx, target):
    folder = Path(ctx.params["folder"])
    ctx.emit({"of": target})
    if target == "a":
        threading.Thread(target=left_behind, args=[ctx, folder], daemon=True).start()
        if ctx.params.get("fails"):
            raise ValueError("a fails")
    if target == "b":
        (folder / "b-began").touch()
        wait_for(folder / "said")


async def on_a_loop(ctx, target):
    folder = Path(ctx.params["folder"])
    ctx.emit({"of": target})
    if target == "a":
        tasks.add(asyncio.create_task(left_behind_async(ctx, folder)))
        if ctx.params.get("fails"):
            raise ValueError("a fails")
    if target == "b":
        (folder / "b-began").touch()
        await wait_for_async(folder / "said")


in_threads = scraper(name="in_threads", retries=0)(plain)
in_children = scraper(name="in_children", retries=0, isolation="process")(plain)
on_the_loop = scraper(name="on_the_loop", retries=0)(on_a_loop)
in_async_children = scraper(name="in_async_children", retries=0, isolation="process")(on_a_loop)

EVERYWHERE = [in_threads, in_children, on_the_loop, in_async_children]


def items_by_target(shop: Shop, run: str) -> dict[str, list]:
    shop.items(run)  # until they can be read
    targets = {task.id: task.target for task in shop.tasks(run).values()}
    found: dict[str, list] = {target: [] for target in targets.values()}
    for item in shop.store.results.items(run, limit=100):
        found[targets[item.task_id]].append(item.data)
    return found


@pytest.mark.parametrize("made", EVERYWHERE, ids=lambda made: made.name)
def test_what_is_left_behind_can_give_nothing_to_another_target(
    either_shop: Shop, tmp_path: Path, made: Scraper
):
    shop = either_shop
    run = shop.run(made, ["a", "b", "c"], params={"folder": str(tmp_path)})
    shop.start(made, run=run, concurrency=1).report()
    assert (tmp_path / "said").read_text() == " ".join(["AttemptOver"] * 7)
    assert shop.counts(run) == {"completed": 3}
    assert items_by_target(shop, run) == {name: [{"of": name}] for name in "abc"}


@pytest.mark.parametrize("made", EVERYWHERE, ids=lambda made: made.name)
def test_what_a_failed_target_leaves_behind_is_refused_too(
    shop: Shop, tmp_path: Path, made: Scraper
):
    run = shop.run(made, ["a", "b"], params={"folder": str(tmp_path), "fails": True})
    shop.start(made, run=run, concurrency=1).report()
    assert (tmp_path / "said").read_text() == " ".join(["AttemptOver"] * 7)
    assert items_by_target(shop, run) == {"a": [], "b": [{"of": "b"}]}


def ask_past_the_context(verbs, folder: Path) -> None:
    """What a message of 'a' comes to when nothing in the child holds it back."""
    wait_for(folder / "b-began")
    late = Collected([Item(b'{"late":1}', None)], [], [], [], part=0)
    # As a browser tells of the last requests of its page.
    verbs._line.tell(verbs._token, "over", b"")
    said = errors_of(lambda: asyncio.run(verbs.checkpoint(None, late)))
    (folder / "said.part").write_text(said)
    (folder / "said.part").rename(folder / "said")


@scraper(isolation="process", retries=0)
def asks_late(ctx, target):
    folder = Path(ctx.params["folder"])
    if target == "a":
        verbs = ctx._context._verbs
        threading.Thread(target=ask_past_the_context, args=[verbs, folder], daemon=True).start()
    if target == "b":
        (folder / "b-began").touch()
        wait_for(folder / "said")
    return {"of": target}


def test_a_worker_refuses_what_a_child_asks_for_another_attempt(
    either_shop: Shop, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    shop = either_shop
    run = shop.run(asks_late, ["a", "b", "c"], params={"folder": str(tmp_path)})
    with caplog.at_level(logging.WARNING):
        shop.start(asks_late, run=run, concurrency=1).report()
    assert (tmp_path / "said").read_text() == AttemptOver.__name__
    assert items_by_target(shop, run) == {name: [{"of": name}] for name in "abc"}
    assert "asked for 'checkpoint' for an attempt that is over" in caplog.text
    assert "'over'" not in caplog.text


kept: list = []


@scraper(retries=1)
def uses_the_first_context(ctx, target):
    kept.append(ctx)
    kept[0].emit({"of": target})


def test_a_scraper_that_uses_the_context_of_another_target_fails_and_is_not_tried_for_ever(
    shop: Shop,
):
    kept.clear()
    run, _ = shop.scrape(uses_the_first_context, ["a", "b"], concurrency=1)
    assert shop.counts(run) == {"completed": 1, "failed": 1}
    assert "its target is done" in next(
        task.error for task in shop.tasks(run).values() if task.error
    )
