import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from swather.errors import Permanent
from swather.model.retry import Backoff
from swather.scraping.scraper import scraper
from tests.store.given import a_worker, claim
from tests.worker.given import Shop, wait_until

pytestmark = pytest.mark.slow

SOON = Backoff(factor=1.0, cap_seconds=0.01, jitter=0.0)


@scraper(isolation="process", backoff=SOON)
def deadly(ctx, target):
    if target == 7:
        os.kill(os.getpid(), signal.SIGSEGV)
    if target == 8:
        os._exit(3)
    return os.getpid()


@scraper(isolation="process", recycle_after=3)
def whoami(ctx, target):
    return os.getpid()


@scraper(isolation="process", memory_limit_mb=200, backoff=SOON)
def greedy(ctx, target):
    if target == 0:
        hoard = [bytearray(300 << 20)]
        for part in hoard:
            part[::4096] = b"x" * len(part[::4096])
        time.sleep(60)
    return target


@scraper(isolation="process", retries=0)
def verbs_of_plain(ctx, target):
    file = ctx.save(b"content", name="plain.txt")
    ctx.progress(1, 2, note="half")
    ctx.emit({"big": 2**70, "sha256": file.sha256})
    ctx.checkpoint({"page": 1})
    ctx.add("child")
    if target == "child":
        raise Permanent("no more", reason="end_of_list")
    return {"cursor": ctx.cursor, "params": ctx.params, "target": ctx.target}


@scraper(isolation="process", retries=0)
async def verbs_of_async(ctx, target):
    source = Path(ctx.params["folder"]) / "source.bin"
    source.write_bytes(b"by path")
    file = await ctx.save(source, name="async.bin")
    await asyncio.sleep(0)
    yield {"sha256": file.sha256, "run": ctx.run.name, "attempt": ctx.attempt}


@scraper(isolation="process")
class Counting:
    def __init__(self):
        self.count = 0

    def setup(self):
        self.count = 100

    def scrape(self, ctx, target):
        self.count += 1
        return {"count": self.count, "pid": os.getpid()}

    def close(self):
        Path(os.environ["CLOSED_FILE"]).write_text(str(self.count))


@scraper(isolation="process", timeout=60)
def patient(ctx, target):
    Path(target).write_text(str(os.getpid()))
    time.sleep(600)


@scraper(isolation="process", backoff=SOON, timeout=20)
def outlived(ctx, target):
    os.system("sleep 60 &")  # noqa: S605 - as people write it
    os._exit(3)


def test_a_dying_child_is_a_crash_of_its_target_and_of_no_other(shop: Shop):
    run, report = shop.scrape(deadly, 52, concurrency=2)
    assert shop.counts(run) == {"completed": 50, "failed": 2}
    segfault, exited = shop.tasks(run)[7], shop.tasks(run)[8]
    assert segfault.reason == exited.reason == "crash"
    assert "SIGSEGV" in segfault.error
    assert "exit code 3" in exited.error
    assert segfault.attempts == segfault.crashes >= 3
    assert report.reason == "finished"


def test_a_child_is_seen_to_die_though_a_program_that_it_started_goes_on(shop: Shop):
    run, _ = shop.scrape(outlived, 1)
    task = shop.tasks(run)[0]
    assert task.reason == "crash"
    assert "exit code 3" in task.error


def test_a_child_is_replaced_after_its_number_of_targets(shop: Shop):
    run, _ = shop.scrape(whoami, 9, concurrency=1)
    pids = shop.items(run)
    assert all(pids.count(pid) == 3 for pid in pids)


def test_a_child_that_takes_too_much_memory_is_killed(shop: Shop):
    run, _ = shop.scrape(greedy, 3, concurrency=1)
    assert shop.counts(run) == {"completed": 2, "failed": 1}
    assert "its limit is 200 MB" in shop.tasks(run)[0].error


def test_every_verb_of_a_plain_context_reaches_the_worker(shop: Shop):
    run = shop.run(verbs_of_plain, ["one"], params={"depth": 3})
    shop.start(verbs_of_plain, run=run).report()
    tasks = shop.tasks(run)
    assert (tasks["child"].reason, tasks["child"].error) == ("end_of_list", "no more")
    items = shop.items(run)
    assert {"cursor": None, "params": {"depth": 3}, "target": "one"} in items
    assert items[0]["big"] == 2**70
    assert (shop.files / "plain.txt").read_bytes() == b"content"


def test_every_verb_of_an_async_context_reaches_the_worker(shop: Shop, tmp_path: Path):
    run = shop.run(verbs_of_async, [1], params={"folder": str(tmp_path)})
    shop.start(verbs_of_async, run=run).report()
    (item,) = shop.items(run)
    assert (item["run"], item["attempt"]) == (run, 1)
    assert (shop.files / "async.bin").read_bytes() == b"by path"


def test_a_class_in_a_child_is_set_up_once_and_closed(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("CLOSED_FILE", str(tmp_path / "closed"))
    run, _ = shop.scrape(Counting, 4, concurrency=1)
    assert [item["count"] for item in shop.items(run)] == [101, 102, 103, 104]
    assert (tmp_path / "closed").read_text() == "104"


def test_a_stopped_worker_leaves_no_child_behind(shop: Shop, tmp_path: Path):
    began = tmp_path / "began"
    run = shop.run(patient, [str(began)])
    working = shop.start(patient, run=run)
    pid = int(wait_until(lambda: began.exists() and began.read_text()))
    assert working.stop(now=True) < 5
    wait_until(lambda: not Path(f"/proc/{pid}").exists(), 5)
    assert shop.counts(run) == {"ready": 1}


def test_a_scraper_that_no_child_can_load_fails_with_the_reason(shop: Shop):
    @scraper(isolation="process")
    def local(ctx, target):
        return None

    run, _ = shop.scrape(local, 1)
    task = shop.tasks(run)[0]
    assert task.reason == "cannot_load"
    assert "no scraper named 'local'" in task.error


@scraper(timeout=30)
async def whereami(ctx, target):
    return {"pid": os.getpid()}


def suspect(shop: Shop, task_ids: str) -> None:
    """As if these tasks had lost two workers."""
    shop.store.connection.execute(
        "INSERT INTO faults (task_id, run_id, token, crashes, at) "
        f"SELECT id, run_id, 0, 2, 0 FROM tasks WHERE id IN ({task_ids})"
    )


def test_a_task_that_has_lost_two_workers_runs_in_a_child_of_its_own(shop: Shop):
    run = shop.run(whereami, 3)
    suspect(shop, "1")
    shop.start(whereami, run=run).report()
    pids = [item["pid"] for item in shop.items(run)]
    assert sorted(pid == os.getpid() for pid in pids) == [False, True, True]


def test_suspects_that_no_child_can_load_all_run_in_the_worker(shop: Shop):
    @scraper(timeout=30)
    async def local(ctx, target):
        return {"pid": os.getpid()}

    run = shop.run(local, 12)
    suspect(shop, ", ".join(map(str, range(1, 13))))
    shop.start(local, run=run).report()
    assert [item["pid"] for item in shop.items(run)] == [os.getpid()] * 12


def test_suspects_do_not_keep_others_waiting(shop: Shop):
    run = shop.run(whereami, 20)
    suspect(shop, "1, 2, 3, 4")
    shop.start(whereami, run=run, concurrency=2).report()
    own = [item["pid"] == os.getpid() for item in shop.items(run)]
    assert own == [True] * 16 + [False] * 4


def test_suspects_that_have_not_begun_go_back_when_the_worker_stops(shop: Shop):
    run = shop.run(whereami, 6)
    suspect(shop, "1, 2, 3, 4, 5, 6")
    working = shop.start(whereami, run=run, concurrency=2)
    wait_until(lambda: "leased" in shop.counts(run))
    working.stop(now=True)
    counts = shop.counts(run)
    assert counts.get("ready", 0) + counts.get("completed", 0) == 6
    assert {task.crashes for task in shop.tasks(run).values()} == {2}


@scraper(timeout=60)
async def lingering(ctx, target):
    await ctx.sleep(600)


def lose_two_workers(shop: Shop, run: str) -> None:
    """All tasks of the run are suspects then."""
    for _ in range(2):
        worker = a_worker(shop.store)
        assert claim(shop.store, worker, 1_000, runs=(run,))
        shop.store.workers.sweep([worker])


def steady_leases(shop: Shop, run: str) -> int | None:
    """How many leases there are, if there are as many for a second."""
    leased, until = shop.counts(run).get("leased"), time.monotonic() + 1
    while time.monotonic() < until:
        if shop.counts(run).get("leased") != leased:
            return None
        time.sleep(0.02)
    return leased


def test_suspects_are_not_hoarded(either_shop: Shop):
    run = either_shop.run(lingering, 60)
    lose_two_workers(either_shop, run)
    working = either_shop.start(lingering, run=run, concurrency=4, poll_seconds=0.05)
    wait_until(lambda: steady_leases(either_shop, run) == 10)
    working.stop(now=True)
    assert either_shop.counts(run) == {"ready": 60}


def test_suspects_that_came_with_a_large_claim_go_back_to_the_others(shop: Shop):
    """Quick tasks were claimed far ahead; then came those that had lost two workers."""
    suspects = shop.run(lingering, 500)
    lose_two_workers(shop, suspects)
    shop.store.runs.pause(suspects)
    quick = shop.run(whereami, 2_000)
    working = shop.start(whereami, lingering, concurrency=4, forever=True)
    wait_until(lambda: shop.counts(quick) == {"completed": 2_000})
    shop.store.runs.unpause(suspects)
    wait_until(lambda: "leased" in shop.counts(suspects))
    wait_until(lambda: steady_leases(shop, suspects) == 10)
    working.stop(now=True)
    assert shop.counts(suspects) == {"ready": 500}
