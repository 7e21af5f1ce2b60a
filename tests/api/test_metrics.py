"""What a server tells Prometheus of its database."""

from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import httpx2
import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families
from psycopg import sql
from pydantic import SecretStr
from starlette.testclient import TestClient

import swather.store
from swather.access_token import Tokens
from swather.api import metrics_gauges, metrics_proxies
from swather.api.metrics import MAX_REASONS, MAX_SCRAPERS, Metrics
from swather.api.metrics_families import FAMILIES
from swather.model.pacing import Limits
from swather.model.proxy import BlacklistRule, ProxyFault, ProxyReport
from swather.model.proxy_list import parse_proxies
from swather.model.retry import ErrorClass
from swather.model.schedule import NewSchedule
from swather.model.supervisor import NewSupervisor
from swather.model.task_filter import TaskFilter
from swather.posix import this_process
from swather.settings import Settings
from swather.store import Store
from swather.web.dashboard import Dashboard
from swather.worker.exposition import CONTENT_TYPE
from tests.api.conftest import BASE, READER, an_app
from tests.postgres import PostgresServer
from tests.store.given import a_fault, a_run, a_worker, claim, completed, failed, finish, retried
from tests.worker.given import wait_until

CANARY = "hunter2canary"


def read(text: bytes) -> dict[tuple[Any, ...], float]:
    """Values by name and the values of their labels, in the order in which these are listed."""
    labels = {name: (*family.labels, "le") for name, family in FAMILIES.items()}
    return {
        (sample.name, *(sample.labels[each] for each in order if each in sample.labels)): (
            sample.value
        )
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
        for order in [labels.get(sample.name, ("le",))]
    }


def scraped(store: Store, metrics: Metrics | None = None) -> dict[tuple[Any, ...], float]:
    return read((metrics or Metrics()).exposition(store))


def begun(store: Store) -> Metrics:
    metrics = Metrics()
    metrics.begin(store)
    return metrics


def test_an_empty_database_has_every_metric_and_breaks_no_rule(store: Store):
    text = Metrics().exposition(store).decode()
    assert scraped(store)["swather_up",] == 1
    for name, family in FAMILIES.items():
        assert f"# TYPE {name} {family.kind}\n" in text
        assert (family.kind == "counter") == name.endswith("_total")
        assert (family.kind == "histogram") <= name.endswith("_seconds")


def test_tasks_are_counted_by_scraper_and_state_and_of_open_runs_by_run(store: Store):
    run, done = a_run(store, 3), a_run(store, 1)
    a_run(store, 2, scraper="shops")
    worker = a_worker(store)
    finish(store, completed(*claim(store, worker, runs=(done,)), "an item"))
    store.runs.settle(done)
    claim(store, worker, runs=(run,))
    found = scraped(store)
    assert found["swather_tasks", "books", "ready"] == 2
    assert found["swather_tasks", "books", "leased"] == 1
    assert found["swather_tasks", "books", "completed"] == 1
    assert found["swather_tasks", "shops", "ready"] == 2
    assert found["swather_runs", "books", "open"] == 1
    assert (found["swather_leases",], found["swather_stuck_leases",]) == (1, 0)


def test_counters_say_what_happened_since_the_server_started(store: Store):
    run, worker = a_run(store, 6), a_worker(store)
    finish(store, completed(*claim(store, worker), "before"))
    metrics = begun(store)
    first, second, third, fourth = claim(store, worker, 4)
    timeout = a_fault("too slow", ErrorClass.TIMEOUT)
    outcomes = [completed(first, "x", "y"), failed(second, "layout_changed"), retried(third)]
    finish(store, *outcomes, failed(fourth, "timeout", timeout))
    finish(store, completed(fourth))  # too late
    found = scraped(store, metrics)
    assert found["swather_tasks_ended_total", "books", "completed"] == 1
    assert found["swather_tasks_ended_total", "books", "failed"] == 2
    assert found["swather_task_reasons_total", "books", "layout_changed"] == 1
    assert found["swather_task_reasons_total", "books", "ok"] == 1
    assert found["swather_attempt_errors_total", "books", "timeout"] == 1
    assert found["swather_attempt_errors_total", "books", "transient"] == 1
    assert found["swather_items_total", "books"] == 2
    assert found["swather_retries_total", "books"] == 1
    assert found["swather_stale_writes_total", "books"] == 1
    assert found["swather_tasks", "books", "completed"] == 2
    assert store.runs.counts(run).items == 3


def test_a_counter_never_falls_when_tasks_are_tried_again_or_runs_removed(store: Store):
    run, worker, metrics = a_run(store, 2), a_worker(store), begun(store)
    finish(store, *(failed(lease) for lease in claim(store, worker, 2)))
    ended = ("swather_tasks_ended_total", "books", "failed")
    assert scraped(store, metrics)[ended] == 2
    assert store.tasks.retry(TaskFilter(run=run)) == 2
    assert scraped(store, metrics)[ended] == 2
    finish(store, *(failed(lease) for lease in claim(store, worker, 2)))
    assert scraped(store, metrics)[ended] == 4
    store.runs.settle(run)
    store.runs.remove(run)
    assert scraped(store, metrics)[ended] == 4


def test_silent_workers_and_what_they_hold_are_told(store: Store):
    a_run(store, 3)
    silent = a_worker(store, lease_seconds=1.0)
    claim(store, silent, 2)
    busy, paused = a_worker(store), a_worker(store)
    claim(store, busy, 1)
    store.workers.tell(busy, {"busy": 1, "slots": 10, "waiting": {"its lane": 1, "a riddle": 1}})
    store.workers.pause(paused)
    wait_until(lambda: scraped(store)["swather_workers", "silent"])
    found = scraped(store)
    states = {state: found["swather_workers", state] for state in ("busy", "paused", "silent")}
    assert states == {"busy": 1, "paused": 1, "silent": 1}
    assert (found["swather_leases",], found["swather_stuck_leases",]) == (3, 2)
    assert (found["swather_slots", "busy"], found["swather_slots", "free"]) == (1, 9)
    assert found["swather_waiting_attempts", "its lane"] == 1
    assert found["swather_waiting_attempts", "other"] == 1


def test_workers_that_are_lost_are_counted_once_however_long_ago_they_began(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(metrics_gauges, "MAX_ENDED_WORKERS", 3)
    before = a_worker(store)
    store.workers.sweep([before])
    metrics, old = begun(store), a_worker(store)
    assert scraped(store, metrics)["swather_lost_workers_total",] == 0
    for _ in range(3):
        store.workers.retire(a_worker(store))
    store.workers.tell(old, said(requests=7, claims=0))
    store.workers.sweep([old])
    for _ in range(2):
        found = scraped(store, metrics)
        assert found["swather_lost_workers_total",] == 1
        assert found["swather_requests_total",] == 7


def test_what_workers_measure_is_summed_and_outlives_them(store: Store):
    older = a_worker(store)
    store.workers.tell(older, said(requests=100, claims=7))
    metrics = begun(store)
    newer = a_worker(store)
    store.workers.tell(older, said(requests=103, claims=8))
    store.workers.tell(newer, said(requests=5, claims=2))
    store.workers.retire(newer)
    for _ in range(2):
        found = scraped(store, metrics)
        assert found["swather_requests_total",] == 8
        assert found["swather_claim_seconds_count",] == 3
        assert found["swather_claim_seconds_bucket", "0.005"] == 3
        assert found["swather_claim_seconds_bucket", "0.0025"] == 0
        assert found["swather_claim_seconds_sum",] == pytest.approx(0.012)
        assert found["swather_waited_seconds_total", "its lane"] == 4.5
        assert found["swather_waited_seconds_total", "other"] == 1
        assert found["swather_waited_seconds_total", "the database"] == 0
        store.workers.retire(older)


def said(*, requests: int, claims: int) -> dict[str, Any]:
    counts = [0, 0, claims] + [0] * 14
    latency = {"claim": {"counts": counts, "seconds": claims * 0.004}, "finish": "nonsense"}
    waited = {"its lane": claims * 1.5, "a riddle": 1, "the database": "long"}
    return {"requests": requests, "latency": latency, "waited": waited}


def test_lanes_are_counted_and_never_named(store: Store):
    for number in range(20):
        store.lanes.cool(f"host{number}.example", 60 + number)
    store.lanes.pause("paused.example")
    a_run(store, 2, lane="busy.example", lane_limits=Limits(in_flight=5))
    claim(store, a_worker(store), 2)
    found = scraped(store)
    assert found["swather_lanes", "cooling"] == 20
    assert found["swather_lanes", "paused"] == 1
    assert found["swather_lanes", "in use"] == 1
    assert found["swather_lanes_in_flight",] == 2
    assert 70 < found["swather_longest_cooling_seconds",] <= 79
    assert not [key for key in found if any(".example" in str(each) for each in key)]


def test_scrapers_and_reasons_are_bounded_and_nothing_is_left_out(sqlite: Store):
    for number in range(MAX_SCRAPERS + 5):
        a_run(sqlite, 1, scraper=f"scraper{number:03}")
    worker, metrics = a_worker(sqlite), begun(sqlite)
    run = a_run(sqlite, MAX_REASONS + 5, scraper="scraper000")
    leases = claim(sqlite, worker, MAX_REASONS + 5, runs=(run,))
    finish(sqlite, *(failed(lease, f"reason{lease.task_id}") for lease in leases))
    found = scraped(sqlite, metrics)
    named = {key[1] for key in found if key[0] == "swather_tasks"}
    assert len(named) == MAX_SCRAPERS + 1
    assert found["swather_tasks", "other", "ready"] == 5
    reasons = [value for key, value in found.items() if key[0] == "swather_task_reasons_total"]
    assert (len(reasons), sum(reasons)) == (MAX_REASONS + 1, MAX_REASONS + 5)


def test_fleets_proxies_breakers_and_schedules_are_told(store: Store):
    supervisor = store.supervisors.register(
        NewSupervisor(process=this_process(), name="here", wanted=3)
    )
    store.supervisors.beat(supervisor, {"workers": [{"state": "running"}, {"state": "waiting"}]})
    store.breakers.trip("books", "shop.example", seen={}, probe_seconds=30)
    due = store.schedules.now().replace(year=2020)
    store.schedules.add(NewSchedule(name="nightly", scraper="books", cron="0 2 * * *"), due)
    lines = parse_proxies(["proxy1.example:80", "proxy2.example:80"])[0]
    store.proxies.load(lines, source="list", replace=True)
    report = ProxyReport(1, "shop.example", faults={ProxyFault.PROXY: 1})
    store.proxies.report([report], BlacklistRule(threshold=1))
    found = scraped(store)
    assert found["swather_supervisors",] == 1
    assert found["swather_fleet_workers_wanted",] == 3
    assert found["swather_fleet_workers", "running"] == 1
    assert found["swather_open_breakers", "books"] == 1
    assert (found["swather_schedules",], found["swather_schedules_late",]) == (1, 1)
    assert found["swather_proxies", "usable"] + found["swather_proxies", "blacklisted"] == 2


def test_proxies_are_read_again_only_when_the_pool_has_changed(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    lines = parse_proxies(["proxy1.example:80", "proxy2.example:80"])[0]
    store.proxies.load(lines, source="list", replace=True)
    reads: list[str] = []
    kind = type(store.proxies)
    monkeypatch.setattr(kind, "find", noting(reads, "find", kind.find))
    metrics = begun(store)
    for _ in range(3):
        assert scraped(store, metrics)["swather_proxies", "usable"] == 2
    assert len(reads) == 1
    store.proxies.disable([1])
    found = scraped(store, metrics)
    assert (found["swather_proxies", "usable"], found["swather_proxies", "disabled"]) == (1, 1)
    monkeypatch.setattr(metrics_proxies, "OLD_SECONDS", 0.0)
    scraped(store, metrics)
    assert len(reads) == 3


def test_a_database_that_is_away_is_told_and_counters_stay(sqlite: Store):
    metrics = begun(sqlite)
    finish(sqlite, *(completed(lease) for lease in claim_one(sqlite)))
    scraped(sqlite, metrics)
    found = read(metrics.without("sqlite:///gone.db"))
    assert found["swather_up",] == 0
    assert found["swather_tasks_ended_total", "books", "completed"] == 1
    assert ("swather_leases",) not in found


def test_the_route_serves_them_and_only_to_those_who_may(sqlite: Store):
    a_run(sqlite, 3)
    token = "r" * 20
    settings = Settings(
        db=sqlite.url, api_port=0, api_token=SecretStr("a" * 20), api_read_token=SecretStr(token)
    )
    with Dashboard(settings) as dashboard, dashboard.serving():
        address = f"{dashboard.address}/metrics"
        assert httpx2.get(address).status_code == HTTPStatus.UNAUTHORIZED
        answer = httpx2.get(address, headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == HTTPStatus.OK
    assert answer.headers["content-type"] == CONTENT_TYPE
    found = read(answer.content)
    assert found["swather_tasks", "books", "ready"] == 3
    # What was there before the server counts for nothing.
    assert found["swather_tasks_ended_total", "books", "completed"] == 0


def claim_one(store: Store) -> Any:
    a_run(store, 1)
    return claim(store, a_worker(store))


def test_no_password_is_in_a_label(store: Store):
    lane = f"http://user:{CANARY}@host.example"
    a_run(store, 1, lane=lane)
    store.lanes.pause(lane)
    lines = parse_proxies([f"http://user:{CANARY}@proxy.example:80"])[0]
    store.proxies.load(lines, source="list", replace=True)
    worker = a_worker(store)
    store.workers.tell(worker, {"waiting": {CANARY: 1}, "trouble": f"password={CANARY}"})
    metrics = begun(store)
    store.lanes.unpause(lane)
    finish(store, failed(*claim(store, worker), f"password={CANARY}"))
    store.lanes.pause(lane)
    text = metrics.exposition(store).decode()
    assert "password=***" in text
    assert CANARY not in text


def test_hostile_text_stays_inside_its_label(sqlite: Store):
    hostile = 'x"} 1\nswather_up 0 # \\'
    a_run(sqlite, 1)
    metrics = begun(sqlite)
    finish(sqlite, failed(*claim(sqlite, a_worker(sqlite)), hostile))
    found = scraped(sqlite, metrics)
    assert found["swather_up",] == 1
    assert found["swather_task_reasons_total", "books", 'x"} 1?swather_up 0 # \\'] == 1


def test_the_route_answers_while_the_database_is_away_and_counts_on_after_it(
    postgres_server: PostgresServer, tokens: Tokens
):
    with (
        postgres_server.fresh_database() as url,
        psycopg.connect(postgres_server.url(), autocommit=True) as admin,
    ):
        swather.store.prepare(url)
        store = swather.store.open(url)
        app, served = an_app(store, tokens)
        client = TestClient(app, base_url=BASE, headers={"authorization": f"Bearer {READER}"})
        with client:
            finish(store, completed(*claim_one(store)))
            ended = ("swather_tasks_ended_total", "books", "completed")
            assert read(client.get("/metrics").content)[ended] == 1
            database = sql.Identifier(urlsplit(url).path.strip("/"))
            may_connect = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}")
            admin.execute(may_connect.format(database, sql.SQL("false")))
            cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
            admin.execute(cut, [urlsplit(url).path.strip("/")])
            away = client.get("/metrics")
            assert away.status_code == HTTPStatus.OK
            found = read(away.content)
            assert (found["swather_up",], found[ended]) == (0, 1)
            admin.execute(may_connect.format(database, sql.SQL("true")))
            found = wait_until(lambda: back(client))
            assert found[ended] == 1
        served.acting.close()
        served.stores.close()
        store.close()


def back(client: TestClient) -> dict[tuple[Any, ...], float] | None:
    found = read(client.get("/metrics").content)
    return found if found["swather_up",] else None


def test_a_scrape_reads_each_thing_once(sqlite: Store, monkeypatch: pytest.MonkeyPatch):
    """However many tasks, runs and workers there are."""
    for _ in range(3):
        a_run(sqlite, 50)
        a_worker(sqlite)
    reads: list[str] = []
    for kind in (type(sqlite.runs), type(sqlite.workers), type(sqlite.lanes), type(sqlite.proxies)):
        for name in ("totals", "counts", "find", "get", "open_totals"):
            if (verb := getattr(kind, name, None)) is not None:
                monkeypatch.setattr(kind, name, noting(reads, f"{kind.__name__}.{name}", verb))
    scraped(sqlite)
    assert sorted(Counter(reads).values()) == [1, 1, 1, 2]  # of workers: live, and ended ones


def noting(reads: list[str], name: str, verb: Callable[..., Any]) -> Callable[..., Any]:
    def noted(*args: Any, **named: Any) -> Any:
        reads.append(name)
        return verb(*args, **named)

    return noted
