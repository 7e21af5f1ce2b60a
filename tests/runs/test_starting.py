"""Registered scrapers are started for workers anywhere."""

import sys
from pathlib import Path

import pytest

from swather.model.run import RunState
from swather.runs.starting import StartStatus, start_run
from swather.scraping.registered import Registered, registered
from swather.store import Store

CODE = """
from swather import scraper


@scraper
def shop(ctx, target):
    return target
"""


@pytest.fixture
def india(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registered:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("shop.py").write_text(CODE)
    Path("towns.txt").write_text("pune\nagra\n")
    Path("swather.toml").write_text(
        "[scrapers.india]\npath = 'shop.py'\ntargets = 'towns.txt'\nparams = { pages = 2 }\n"
    )
    return registered()["india"]


def test_a_start_loads_the_targets_and_says_how_to_start_workers(store: Store, india: Registered):
    answer = start_run(store, india, targets=None, params={"deep": True})
    assert (answer.status, answer.enqueued) == (StartStatus.QUEUED, 2)
    run = store.runs.get(answer.run_id)
    assert (run.scraper, run.scraper_params) == ("india", {"pages": 2, "deep": True})
    assert run.state is RunState.OPEN
    code = f"india={Path('shop.py').resolve()}"
    assert f"swather worker {code} --run {run.name} --db " in (answer.worker_command or "")


def test_each_start_is_a_run_of_its_own_unless_it_is_named(store: Store, india: Registered):
    first, second = (start_run(store, india, targets=["a"], params={}) for _ in range(2))
    assert first.run_id != second.run_id
    named = start_run(store, india, targets=["a", "b"], params={}, name="nightly")
    again = start_run(store, india, targets=["a", "b", "c"], params={}, name="nightly")
    assert (named.run_id, named.enqueued) == ("nightly", 2)
    assert (again.run_id, again.enqueued) == ("nightly", 1)


def test_a_start_without_targets_is_finished_at_once(store: Store, india: Registered):
    answer = start_run(store, india, targets=[], params={})
    assert store.runs.get(answer.run_id).state is RunState.FINISHED
