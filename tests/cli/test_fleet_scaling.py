"""How many workers are wanted, and a fleet that follows it, on both databases."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from swather import posix
from swather import store as stores
from swather.errors import InputError
from swather.fleet import places, supervision
from swather.fleet.fleet_logs import FleetLogs
from swather.fleet.fleet_scaler import FleetScaler
from swather.fleet.fleet_view import FleetView
from swather.fleet.fleet_watch import FleetWatch
from swather.fleet.supervision import Supervision
from swather.fleet.supervisor import Policy
from swather.model.pacing import Limits
from swather.model.supervisor import NewSupervisor
from swather.settings import Settings
from swather.settings_sources import read
from swather.store import Store
from tests.cli.conftest import Swather, done
from tests.fleet.test_supervisor import Yard
from tests.store.given import a_run, a_worker, until

CODE = "from swather import scraper\n\n\n@scraper\ndef books(ctx, target):\n    pass\n"


@pytest.fixture
def store(database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("SWATHER_DB", database)
    opened = stores.open(database)
    yield opened
    opened.close()


def test_wanted_says_how_many_workers_and_what_decides_it(swather: Swather, store: Store):
    assert done(swather, "fleet", "wanted", "--min", "0").out == (
        "0 workers wanted, 0 running: nothing waits\n"
    )
    books = a_run(store, 30, lane="a.com", lane_limits=Limits(in_flight=12))
    a_run(store, 2_500, scraper="shops")
    a_worker(store)
    said = done(swather, "fleet", "wanted").out
    assert said == "3 workers wanted, 1 running: 2,530 tasks at 1,000 for each worker\n"
    said = done(swather, "fleet", "wanted", "--max", "2").out
    assert said.startswith("2 workers wanted, 1 running: the maximum; 3 could work: ")
    found = done(swather, "fleet", "wanted", "books", "--json").data
    assert (found["wanted"], found["workers"], found["backlog"]) == (1, 1, 30)
    assert (found["usable_slots"], found["partitions"]) == (12, None)
    store.settings.set("tasks_per_worker", 5)
    found = done(swather, "fleet", "wanted", "--run", books, "--json").data
    assert found["wanted"] == 2
    assert "limits of lanes let 12 of 30 tasks run at once" in found["reason"]
    assert found["runs"][0]["run"] == books


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--max", "4"], "the bounds of --autoscale, which is missing"),
        (["--autoscale"], "--max N, or the setting max_workers"),
        (["--autoscale", "--min", "5", "--max", "4"], "5"),
        (["--autoscale", "--test"], "--test has two workers"),
        (["--on", "mars"], "mars"),
    ],
)
def test_bounds_that_are_missing_or_make_no_sense_are_refused(
    swather: Swather, options: list[str], said: str
):
    Path("books.py").write_text(CODE)
    done(swather, "db", "init")
    refused = swather("fleet", "up", "books.py", "--yes", *options)
    assert (refused.code, said in refused.err) == (2, True), refused.err


def test_a_cluster_elsewhere_needs_postgresql_and_the_extra(
    swather: Swather, monkeypatch: pytest.MonkeyPatch
):
    Path("books.py").write_text(CODE)
    done(swather, "db", "init")
    monkeypatch.setitem(sys.modules, "ray", None)
    refused = swather("fleet", "up", "books.py", "--yes", "--on", "ray")
    assert refused.code == 2
    assert "pip install 'swather[ray]'" in refused.err
    monkeypatch.setenv("SWATHER_RAY_ADDRESS", "head:6379")
    refused = swather("fleet", "up", "books.py", "--yes", "--on", "ray")
    assert refused.code == 2
    assert "cannot open a SQLite file of this machine; use PostgreSQL" in refused.err


def test_partitions_are_dealt_to_workers_that_run_not_to_the_most_there_may_be(
    swather: Swather, store: Store, monkeypatch: pytest.MonkeyPatch
):
    dealt = []

    def local(_arguments: object, settings: Settings, _folder: Path) -> None:
        dealt.append(settings.workers)
        raise InputError("enough is known")

    monkeypatch.setattr(places, "local", local)
    Path("books.py").write_text(CODE)
    for options in (["--workers", "4"], ["--autoscale", "--max", "4"], ["--min", "2"]):
        most = ["--autoscale", "--max", "4"] if options[0] == "--min" else []
        assert "enough is known" in swather("fleet", "up", "books.py", "-y", *options, *most).err
    assert dealt == [4, 1, 2]
    assert store.supervisors.find() == []


def test_a_fleet_grows_with_the_work_and_shrinks_without_it(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("BEAT_SECONDS", "LOOK_SECONDS", "SCALE_SECONDS"):
        monkeypatch.setattr(supervision, name, 0.01)
    settings = {"tasks_per_worker": 10, "scale_down_seconds": 0.0}
    yard = Yard()
    new = NewSupervisor(process=posix.this_process(), name="f", wanted=0, minimum=0, maximum=3)
    number = store.supervisors.register(new)
    since = store.supervisors.get(number).registered_at
    scaler = FleetScaler(
        store,
        lambda: read(settings).settings,
        scrapers={"books"},
        run=None,
        is_here=False,
    )
    other = store.another()

    def play() -> None:
        try:
            a_run(other, 1_000, scraper="shops")
            run = a_run(other, 25)
            until(lambda: len(yard.up) == 3)
            other.runs.cancel(run)
            until(lambda: ("stop", 0) in yard.calls)
            assert other.supervisors.get(number).wanted == 0
            for worker in list(yard.up):
                yard.end(worker)
        finally:
            other.supervisors.ask_stop(number)

    player = threading.Thread(target=play)
    with FleetLogs(tmp_path / "logs", read().settings) as logs:
        watched = Supervision(
            store, number, new, yard, Policy(stagger_seconds=(0.0, 0.0)), logs,
            FleetWatch(store, "f", None, since), FleetView(), scaler,
        )  # fmt: skip
        player.start()
        watched.until_it_ends()
    player.join()
    other.close()
    log = (tmp_path / "logs" / "supervisor.log").read_text()
    assert "autoscaler: 25 tasks at 10 for each worker" in log
    assert "autoscaler: nothing waits" in log
