"""`swather.start` and `swather.stats`: the orchestrator from Python."""

import sys
from pathlib import Path

import pytest

import swather
from swather.errors import InputError, NotFound, RunLocked
from swather.runs.run_lock import RunLock

CODE = """
from swather import Permanent, scraper


@scraper
def shop(ctx, target):
    if target == "bad":
        raise Permanent("bad")
    return {"target": target, **ctx.params}
"""
REGISTRY = """
[scrapers.india]
path = "shop.py"
execution_mode = "distributed"

[scrapers.russia]
path = "shop.py"
targets = "towns.txt"
params = { country = "ru" }
"""


@pytest.fixture(autouse=True)
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    Path("shop.py").write_text(CODE)
    Path("swather.toml").write_text(REGISTRY)
    Path("towns.txt").write_text("omsk\nbad\n")


@pytest.mark.slow
def test_a_distributed_start_queues_and_stats_follow_it(url: str):
    answer = swather.start("india", urls=["a", "b", "bad"], db=url)
    assert (answer.status, answer.enqueued) == ("queued", 3)
    assert f"--run {answer.run_id}" in (answer.worker_command or "")
    assert swather.stats("india", answer.run_id, db=url) == (3, 0, 0, 0, 3)
    with swather.open(url) as queue:
        first, second = queue.claim(2, run=answer.run_id)
        queue.finish(first)
        found = swather.stats("india", answer.run_id, db=url)
        assert (found.pending, found.claimed, found.completed, found.failed) == (1, 1, 1, 0)
        queue.finish(second, error="slow")
    # It waits for a retry.
    found = swather.stats("india", db=url)
    assert (found.pending, found.claimed, found.remaining) == (2, 0, 2)
    assert swather.start("india", ["a", "b", "bad"], db=url).enqueued == 0
    assert swather.start("india", ["c"], resume=True, db=url).run_id == answer.run_id


@pytest.mark.slow
def test_a_single_start_runs_here(url: str):
    answer = swather.start("russia", db=url, progress=False, output="ru.jsonl")
    assert (answer.status, answer.enqueued, answer.worker_command) == ("finished", 2, None)
    assert swather.stats("russia", answer.run_id, db=url) == (0, 0, 1, 1, 0)
    assert '"country":"ru"' in Path("ru.jsonl").read_text()
    again = swather.start("russia", db=url, progress=False)
    assert (again.run_id, again.enqueued) == (answer.run_id, 0)


@pytest.mark.slow
def test_a_single_start_is_refused_while_another_lasts(url: str):
    answer = swather.start("russia", ["a"], db=url, progress=False)
    store = swather.store.open(url)
    lock = RunLock(store, store.runs.get(answer.run_id))
    with pytest.raises(RunLocked, match="wait=True waits for it, new=True starts another run"):
        swather.start("russia", ["a"], db=url, progress=False)
    lock.release()
    store.close()
    waited = swather.start("russia", ["a"], db=url, progress=False, wait=True)
    assert waited.run_id == answer.run_id


@pytest.mark.slow
def test_a_mistake_is_told(url: str):
    for complaint, call in {
        "give one of them": {"targets": ["a"], "urls": ["a"]},
        "nothing to scrape: give targets": {},
        "wait and output are only for": {"targets": ["a"], "wait": True},
    }.items():
        with pytest.raises(InputError, match=complaint):
            swather.start("india", db=url, **call)
    swather.start("india", ["a"], db=url)
    with pytest.raises(InputError, match="belongs to scraper 'india', not 'russia'"):
        swather.stats("russia", "india", db=url)
    with pytest.raises(NotFound):
        swather.stats("nobody", db=url)
