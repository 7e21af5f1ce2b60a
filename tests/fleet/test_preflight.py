"""Before a fleet starts: each check finds what it is for, and the tables add up."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import swather
from swather import settings_sources
from swather.fleet import preflight
from swather.fleet.placement import Place
from swather.fleet.preflight import Preflight, WorkerShare
from swather.model.assignment import Balanced, Plan
from swather.model.estimate import Decides
from swather.model.proxy_list import parse_proxies
from swather.runs import machine_checks
from swather.runs.health import Health
from swather.store import Store
from tests.fake_s3 import FakeS3
from tests.store.given import a_run, a_worker, claim, completed, finish, targets

STATES = {"CA": 60, "TX": 30, "NY": 20, "MT": 5}


@swather.scraper(name="books", version="1")
async def books(ctx: Any, target: Any) -> None: ...


@swather.scraper(name="books", version="1", proxies=swather.Proxies(per_worker=3))
async def proxied(ctx: Any, target: Any) -> None: ...


@swather.scraper(name="books", version="1", browser=True)
async def rendered(ctx: Any, target: Any) -> None: ...


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def look(store: Store, code: Any = books, *, options: Any = None, **fields: Any) -> Preflight:
    settings = settings_sources.read({"db": store.url, **(options or {})}).settings
    given = {"workers": 2, **fields}
    return preflight.check(store, settings, {code.name: code}, **given)


def partitioned(store: Store, sizes: Mapping[str, int] = STATES, shared: int = 0) -> str:
    run = a_run(store, shared, version="1")
    for name, number in sizes.items():
        store.tasks.enqueue(run, targets([f"{name}{n}" for n in range(number)], partition=name))
    return run


def told(found: Preflight, what: str) -> list[tuple[Health, str]]:
    return [(check.health, check.said) for check in found.checks if check.what == what]


def test_all_is_well(store: Store):
    run = a_run(store, 10, version="1")
    finish(store, *(completed(lease) for lease in claim(store, a_worker(store), 4)))
    found = look(store)
    assert {check.health for check in found.checks} == {Health.OK}
    assert found.problems == []
    (progress,) = found.runs
    assert (progress.run, progress.done, progress.pending, progress.total) == (run, 4, 6, 10)
    assert found.shares[-1] == WorkerShare(number=None, pending=6)


PLAN = Plan({0: ("CA",), 1: ("TX", "NY"), 2: ("MT",)})


@pytest.mark.parametrize(
    ("plan", "fields", "dealt"),
    [
        # What nobody is planned for is taken by whoever has room.
        (PLAN, {}, {0: ("CA",), 1: ("TX", "NY"), None: ("MT",)}),
        (PLAN, {"workers": 3}, {0: ("CA",), 1: ("TX", "NY"), 2: ("MT",), None: ()}),
        (PLAN, {"workers": 3, "is_test": True}, {0: ("CA",), 1: ("TX", "NY"), None: ()}),
        (Balanced(2), {}, {0: ("CA",), 1: ("MT", "NY", "TX"), None: ()}),
        (None, {}, {0: (), 1: (), None: ("CA", "MT", "NY", "TX")}),
    ],
)
def test_partitions_are_dealt_out_as_the_workers_will_take_them(
    store: Store, plan: Any, fields: dict[str, Any], dealt: dict[int | None, tuple[str, ...]]
):
    partitioned(store, shared=7)
    found = look(store, plan=plan, **fields)
    assert {share.number: share.partitions for share in found.shares} == dealt
    pending = {
        number: sum(STATES[name] for name in names) + (7 if number is None else 0)
        for number, names in dealt.items()
    }
    assert {share.number: share.pending for share in found.shares} == pending
    assert found.workers == (2 if fields.get("is_test") else fields.get("workers", 2))


def test_a_plan_that_workers_have_left_is_the_plan(store: Store):
    run = partitioned(store)
    store.partitions.plan(run, {"CA": 1, "TX": 0, "NY": 0, "MT": 0})
    assert [share.pending for share in look(store).shares] == [55, 60]


def no_space(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_checks, "NO_SPACE_BYTES", 1 << 62)
    monkeypatch.setattr(machine_checks, "LITTLE_SPACE_BYTES", 1 << 62)


def foreign_run(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.runs.cancel(store.runs.find()[0].name)
    a_run(store, 3, name="strange", scraper="shops")


def other_version(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    a_run(store, 1, name="older", version="0")


def other_worker(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    a_worker(store, name="mill", version="shops 1, books 7")


def paused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.runs.pause(store.runs.find()[0].name)


def nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    pass


@pytest.mark.parametrize(
    ("change", "fields", "what", "health", "words"),
    [
        (no_space, {}, "disk", Health.PROBLEM, "free in"),
        (foreign_run, {}, "code", Health.PROBLEM, "scraper 'shops' of run strange"),
        (other_version, {}, "code", Health.WARNING, "run older was started with version '0'"),
        (other_worker, {}, "code", Health.WARNING, "worker mill, which runs already, has"),
        (paused, {}, "run", Health.WARNING, "is paused"),
        (nothing, {"code": proxied}, "proxies", Health.PROBLEM, "no proxy can be used"),
        (nothing, {"code": rendered, "options": {"chromium": "/nix"}}, "programs",
         Health.PROBLEM, "the setting chromium names '/nix'"),
        (nothing, {"plan": Plan({0: ("CA", "NV"), 1: ("TX",)})}, "partitions", Health.WARNING,
         "MT is given to no worker; NY is given to no worker"),
        (nothing, {"plan": Plan({0: ("CA",), 1: ("CA", "TX", "NY", "MT")})}, "partitions",
         Health.PROBLEM, "CA is given to workers 0 and 1"),
        (nothing, {"is_test": True}, "partitions", Health.PROBLEM, "none that waits is planned"),
        (nothing, {"is_test": True, "plan": Balanced(2)}, "partitions", Health.WARNING,
         "this test scrapes everything"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    change: Any,
    fields: dict[str, Any],
    what: str,
    health: Health,
    words: str,
):
    partitioned(store)
    change(store, monkeypatch)
    found = told(look(store, **fields), what)
    assert [said for was, said in found if was is health and words in said], found


def test_workers_elsewhere_and_many_of_them_need_a_server_with_room(store: Store):
    elsewhere = {"ray_address": "ray.example:6379"}
    found = look(store, workers=1_000, place=Place.RAY, options=elsewhere)
    if store.url.startswith("sqlite"):
        ((health, said),) = told(found, "place")
        assert (health, "cannot open a SQLite file" in said) == (Health.PROBLEM, True)
    else:
        ((health, said),) = told(found, "connections")
        assert health is Health.WARNING
        assert said.startswith("1,000 workers open 4,000 connections")


def test_who_comes_first_has_its_own_proxies_first(store: Store):
    partitioned(store)
    proxies, _ = parse_proxies([f"198.51.100.{number}:1" for number in range(1, 6)])
    store.proxies.load(proxies, source="list", replace=True)
    found = look(store, proxied, workers=3)
    assert [share.proxies for share in found.shares[:3]] == [3, 2, 0]
    assert not found.shares_proxies
    ((health, said),) = told(found, "proxies")
    assert (health, said.startswith("5 of 5 usable; 3 workers with 3 proxies each")) == (
        Health.WARNING,
        True,
    )


def test_a_paused_run_is_not_in_the_estimate(store: Store):
    partitioned(store)
    paused(store, pytest.MonkeyPatch())
    assert look(store).estimate.decides is Decides.NOTHING


@pytest.mark.slow
def test_a_bucket_that_refuses_is_a_problem_and_one_that_is_away_a_warning(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    with FakeS3() as s3:
        for name, value in s3.environment.items():
            monkeypatch.setenv(name, value)
        named = {"files_folder": "s3://bucket/saved"}
        (found,) = told(look(store, options=named), "files")
        works = "s3://bucket/saved can be written, listed, read and deleted from"
        assert found == (Health.OK, works)
        ((health, said),) = told(look(store, options={"files_folder": "s3://nope/saved"}), "files")
        assert (health, "there is no such bucket" in said) == (Health.PROBLEM, True)
        s3.conditional = False
        ((health, said),) = told(look(store, options=named), "files")
        assert (health, "names end with a hash" in said) == (Health.OK, True)
        s3.stop()
        ((health, said),) = told(look(store, options=named), "files")
        assert (health, said.endswith("files wait until it can be")) == (Health.WARNING, True)
    assert told(look(store), "files") == []
