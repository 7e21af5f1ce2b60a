"""At a million tasks the hot verbs and the dashboard's reads use their indexes."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from swather.model.history import Measured
from swather.model.lane import PacedKind
from swather.model.lease import ClaimRequest, Lease, Strategy
from swather.model.outcome import Item
from swather.model.pacing import AutoPace, CoolDownCurve, Limits
from swather.model.run import RunState
from swather.model.stored_page import StoredPage, request_key
from swather.model.task import State, Target
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import (
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    released,
    retried,
)
from tests.store.plans import recorded

LARGE = {
    "tasks", "ready", "scheduled", "outcomes", "faults", "items", "files", "events", "heads",
    "lanes", "pages", "bodies", "robots", "allowed_hosts", "history_samples", "measurements",
}  # fmt: skip

DIALECT = {
    "sqlite": {
        "now": "unixepoch('subsec')",
        "later": "unixepoch('subsec') + 86400",
        "awake": "0",
        "key": "CAST(printf('%032d', i) AS BLOB)",
        "identity": "",
        "numbers": """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
            INSERT INTO numbers SELECT i FROM n""",
        "go_on": "",
    },
    "postgres": {
        "now": "now()",
        "later": "now() + interval '1 day'",
        "awake": "'-infinity'",
        "key": "convert_to(lpad(i::text, 32, '0'), 'UTF8')",
        "identity": "OVERRIDING SYSTEM VALUE",
        "numbers": "INSERT INTO numbers SELECT generate_series(1, 1000000)",
        "go_on": """
            SELECT setval(pg_get_serial_sequence('swather.' || name, 'id'), 2000000)
            FROM unnest(ARRAY['tasks', 'heads', 'lanes']) AS name""",
    },
}

FILL = """
CREATE TABLE numbers (i integer);
{numbers};
INSERT INTO lanes (id, kind, name) {identity}
SELECT i + 100000, 'lane', 'host' || i FROM numbers WHERE i <= 5000;
INSERT INTO heads (id, run_id, partition, lane_id, best, wake_at) {identity}
SELECT i + 100000, {run_id}, '', i + 100000, 5, {awake} FROM numbers WHERE i <= 5000;
INSERT INTO tasks (id, run_id, head_id, priority, key, target, created_at) {identity}
SELECT i, {run_id}, 100001 + i % 5000, 5, {key}, '"x"', {now} FROM numbers ORDER BY i;
INSERT INTO ready (head_id, priority, task_id)
SELECT head_id, priority, id FROM tasks WHERE id % 10 < 5 ORDER BY head_id, id;
INSERT INTO outcomes (task_id, run_id, token, state, reason, at)
SELECT id, {run_id}, 0, 'completed', 'ok', {now} FROM tasks WHERE id % 10 IN (5, 6, 7) ORDER BY id;
INSERT INTO outcomes (task_id, run_id, token, state, reason, at)
SELECT id, {run_id}, 0, 'failed', 'gone', {now} FROM tasks WHERE id % 10 = 8 ORDER BY id;
INSERT INTO faults (task_id, run_id, token, attempts, error_class, fingerprint, at)
SELECT id, {run_id}, 0, 1, 'permanent', 'f' || (id % 10000), {now} FROM tasks WHERE id % 10 = 8;
INSERT INTO scheduled (task_id, run_id, head_id, priority, due_at)
SELECT id, {run_id}, head_id, priority, {later} FROM tasks WHERE id % 10 = 9;
INSERT INTO items (run_id, task_id, part, seq, data)
SELECT {run_id}, id, 0, 0, '"item"' FROM tasks WHERE id % 10 = 5 ORDER BY id;
INSERT INTO files (run_id, task_id, part, seq, name, sha256, size_bytes)
SELECT {run_id}, id, 0, 0, 'f', 'ab', 1 FROM tasks WHERE id % 10 = 6 ORDER BY id;
INSERT INTO events (at, kind, run_id, task_id, worker_id)
SELECT {now}, 'failed', {run_id}, id, 1 FROM tasks WHERE id % 10 = 8 ORDER BY id;
INSERT INTO counters (run_id, name, n) VALUES
({run_id}, 'ready', 500000), ({run_id}, 'completed', 300000), ({run_id}, 'failed', 100000),
({run_id}, 'scheduled', 100000), ({run_id}, 'reason:ok', 300000), ({run_id}, 'reason:gone', 100000),
({run_id}, 'items', 100000), ({run_id}, 'files', 100000);
UPDATE runs SET priorities = 32 WHERE id = {run_id};
DROP TABLE numbers;
{go_on};
ANALYZE;
"""


def fill(database: Database, run_id: int) -> None:
    """A million tasks on 5,000 lanes: half ready, the others done, failed or scheduled."""
    filled = FILL.format(run_id=run_id, **DIALECT[database.kind])
    for statement in filter(str.strip, filled.split(";\n")):
        database.execute(statement)


def hot_verbs(store: Store, run: str, clock: Clock) -> dict[str, Callable[[], Any]]:
    """What workers do all day, by name, to be called in this order."""
    worker = a_worker(store)
    dying = a_worker(store, name="dying")
    leases: list[Lease] = []

    def claim_in_order(strategy: Strategy) -> None:
        request = ClaimRequest(worker_id=worker, count=10, runs=(run,), strategy=strategy)
        leases.extend(store.queue.claim(request).leases)

    def limited_claim() -> None:
        for lane in range(1, 50):
            store.lanes.limit(f"host{lane}", Limits(10.0, 1, 2))
        claim_in_order(Strategy.FIFO)

    def finish_and_claim() -> None:
        a, b, c, d = (leases.pop() for _ in range(4))
        outcomes = [completed(a, "item"), retried(b, 60), failed(c), released(d)]
        store.queue.finish(outcomes, ClaimRequest(worker_id=worker, count=10))

    def checkpoint() -> None:
        store.queue.checkpoint(leases[0].fence, part=0, cursor=1, items=[Item("i", "k")])
        store.queue.progress(leases[0].fence, 1)
        store.queue.permits(leases[0].fence, "host7")

    def sweep() -> None:
        claim(store, dying, 20, runs=(run,))
        swept = store.workers.sweep(dead=[dying])
        assert swept.tasks == 20

    def short_claim() -> None:
        small = a_run(store, 1)
        assert len(claim(store, worker, 5, runs=(small,))) == 1

    def promote() -> None:
        clock.advance(30)
        store.workers.beat(worker, [lease.fence for lease in leases])
        clock.advance(31)
        store.workers.beat(worker, [lease.fence for lease in leases])
        assert store.workers.sweep().promoted == 1

    return {
        **{f"claim {strategy}": lambda s=strategy: claim_in_order(s) for strategy in Strategy},
        "finish and claim": finish_and_claim,
        "limited claim": limited_claim,
        "short claim": short_claim,
        "checkpoint": checkpoint,
        "standing": lambda: store.queue.standing([lease.fence for lease in leases]),
        "beat": lambda: store.workers.beat(worker, [lease.fence for lease in leases]),
        "sweep": sweep,
        "promote": promote,
        "settle": lambda: store.runs.settle(run),
        "pause": lambda: store.runs.pause(run),
        "unpause": lambda: store.runs.unpause(run),
        "pause a lane": lambda: store.lanes.pause("host9"),
        "cancel one": lambda: store.tasks.cancel(TaskFilter(run=run, task_ids=(500_001,))),
        "retry one": lambda: store.tasks.retry(TaskFilter(run=run, task_ids=(500_008,))),
        "count a group": lambda: store.tasks.count(TaskFilter(run=run, fingerprint="f8")),
        "release": lambda: finish(store, *(released(lease) for lease in leases)),
    }


def web_verbs(store: Store, run: str) -> dict[str, Callable[[], Any]]:
    """What workers do because of what sites answer."""
    worker = a_worker(store, lease_seconds=100_000)

    def probe() -> None:
        for lane in range(60, 90):
            store.breakers.trip("books", f"host{lane}", seen={}, probe_seconds=60)
        leases = claim(store, worker, 10, runs=(run,))
        finish(store, *(released(lease) for lease in leases))
        store.breakers.close("books", "host60")

    def unpaced_claim() -> None:
        request = ClaimRequest(worker_id=worker, count=10, runs=(run,), unpaced=True)
        store.queue.finish([released(lease) for lease in store.queue.claim(request).leases])

    def learn() -> None:
        curve, policy = CoolDownCurve(), AutoPace()
        store.lanes.strike("host91", retry_after_seconds=None, reason="429", curve=curve)
        store.lanes.adapt("host92", latency_seconds=9.0, failed=False, policy=policy)
        store.lanes.adapt("host92", latency_seconds=1.0, failed=False, policy=policy)
        store.lanes.set_crawl_delay("host93", 9.0)
        store.lanes.set_crawl_delay("host93", 1.0)
        store.lanes.clear("host91")
        store.lanes.clear("films", PacedKind.SCRAPER)

    def full_run() -> None:
        limited = a_run(store, 3, task_limit=2)
        assert store.runs.counts(limited).over_limit == 1
        store.runs.record(limited, {"note": 1})

    def store_pages() -> None:
        key = request_key("GET", "https://example.com/")
        page = StoredPage(
            task_id=7, request_key=key, method="GET", url="https://example.com/", status=200,
            headers=[], content=b"<html>",
        )  # fmt: skip
        store.pages.put(run, [page])
        assert store.pages.get(run, 7, key)
        assert store.pages.find(run, 7)
        assert store.pages.latest(key)
        assert store.robots.claim("https://example.com", "me", 60)
        store.robots.release("https://example.com", "me")
        store.robots.put("https://example.com", 200, b"", 60)
        assert store.robots.get("https://example.com")

    return {
        "probe": probe,
        "unpaced claim": unpaced_claim,
        "learn": learn,
        "full run": full_run,
        "store pages": store_pages,
        "prune": store.upkeep.prune,
    }


def dashboard_reads(store: Store, run: str) -> dict[str, Callable[[], Any]]:
    """What a page or a status line asks for."""

    def found(**which: Any) -> Callable[[], Any]:
        return lambda: store.tasks.find(TaskFilter(run=run, **which), after_id=400_000, limit=50)

    return {
        "runs": lambda: store.runs.find(state=RunState.OPEN),
        "counts": lambda: store.runs.counts(run),
        "count by state": lambda: store.tasks.count(
            TaskFilter(run=run, states=frozenset({State.FAILED}))
        ),
        "waiting": lambda: store.tasks.waiting(run),
        "demand": store.runs.demand,
        "task": lambda: store.tasks.get(777_777),
        "tasks": found(),
        **{f"tasks {state}": found(states=frozenset({state})) for state in State},
        "tasks of an error": found(fingerprint="f8"),
        "tasks by id": found(task_ids=(5, 6, 7)),
        "errors": lambda: store.results.errors(run),
        "items": lambda: store.results.items(run, limit=50),
        "complete items": lambda: store.results.items(run, limit=50, complete_only=True),
        "files": lambda: store.results.files(run, limit=50),
        "events": lambda: store.events.find(run, after_id=1_000, limit=50),
        "events of a task": lambda: store.events.find(run, task_id=8, limit=50),
        "events of a worker": lambda: store.events.find(run, worker_id=1, limit=50),
        "lanes": store.lanes.find,
        "breakers": store.breakers.find,
        "lane": lambda: store.lanes.get("host7"),
        "workers": store.workers.find,
        "partitions": lambda: store.partitions.find(run),
        "settings": store.settings.all,
        **page_reads(store, run),
    }


def page_reads(store: Store, run: str) -> dict[str, Callable[[], Any]]:
    """What the pages of the dashboard ask for besides."""

    def newest(**which: Any) -> Callable[[], Any]:
        wanted = TaskFilter(run=run, **which)
        return lambda: store.tasks.search(wanted, newest_first=True, limit=50, scan=1_000)

    def counted(**which: Any) -> Callable[[], Any]:
        return lambda: store.tasks.count_within(TaskFilter(run=run, **which), limit=50, scan=1_000)

    measured = Measured(statuses={"200": 1}, latency={7: 1}, groups={"f8": 1})
    newest_item = store.results.newest(run, limit=1)[0].position
    newest_file = store.results.newest_files(run, limit=1)[0].position
    filters: dict[str, dict[str, Any]] = {
        "all": {},
        "text": {"text": "no such text"},
        "lane": {"lane": "host7"},
        "class": {"error_class": "permanent"},
        "reason": {"reasons": frozenset({"gone"})},
        "worker": {"worker": "nobody"},
        "group": {"fingerprint": "f8"},
        **{str(state): {"states": frozenset({state})} for state in State},
    }
    return {
        **{f"newest tasks by {name}": newest(**which) for name, which in filters.items()},
        **{f"tasks counted by {name}": counted(**which) for name, which in filters.items()},
        "failed of a group": lambda: store.tasks.count_up_to(
            TaskFilter(run=run, states=frozenset({State.FAILED}), fingerprint="f8"), 50
        ),
        "newest events": lambda: store.events.newest(run, before_id=80_000, limit=50),
        "newest items": lambda: store.results.newest(run, before=newest_item),
        "search of items": lambda: store.results.search(run, "no such text", scan=1_000),
        "newest files": lambda: store.results.newest_files(run, before=newest_file),
        "file": lambda: store.results.file(run, newest_file),
        "results of a task": lambda: store.results.of_task(500_005),
        "latest error groups": lambda: store.results.error_groups(limit=50),
        "totals": store.runs.totals,
        "open totals": store.runs.open_totals,
        "note": lambda: store.history.note(run, measured),
        "sample": store.history.sample,
        "history of a run": lambda: store.history.of_run(run, seconds=3_600),
        "history": lambda: store.history.overall(seconds=3_600),
        "times of groups": lambda: store.history.group_times([(run, "f8")], seconds=86_400),
        "answers of lanes": lambda: store.history.lane_answers(seconds=3_600),
        "thin": store.history.thin,
        "actions": store.actions.find,
    }


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_million_tasks_are_never_walked(
    own_database: Database, own_store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    store = own_store
    run = a_run(store)
    fill(own_database, store.runs.get(run).id)
    assert store.runs.counts(run).total == 1_000_000
    walked = {}
    verbs = {**web_verbs(store, run), **hot_verbs(store, run, clock), **dashboard_reads(store, run)}
    for name, verb in verbs.items():
        with recorded(store, LARGE, monkeypatch) as found:
            verb()
        assert found.statements, name
        if found.walks:
            walked[name] = sorted(found.walks)
    assert walked == {}
    assert min(seconds_to_pause(store, run) for _ in range(5)) < 0.05


def seconds_to_pause(store: Store, run: str) -> float:
    began = time.perf_counter()
    store.runs.pause(run)
    store.runs.unpause(run)
    return time.perf_counter() - began


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_old_statistics_do_no_harm(own_database: Database, own_store: Store):
    """The planner thinks that the tables are empty, as it does until somebody analyzes them."""
    store = own_store
    old = a_run(store, 3_000, lane="site")
    store.runs.cancel(old)
    store.runs.remove(old)
    own_database.execute("ANALYZE")
    run, worker = a_run(store), a_worker(store)
    failed_ones = TaskFilter(run=run, states=frozenset({State.FAILED}))
    slow = {}

    def measure(name: str, verb: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        answer = verb()
        if (seconds := time.perf_counter() - began) > 4:
            slow[name] = round(seconds)
        return answer

    given = [Target(value=number, lane=f"lane{number % 50}") for number in range(6_000)]
    measure("enqueue", lambda: store.tasks.enqueue(run, given))
    leases = measure("claim", lambda: claim(store, worker, 6_000))
    broken, done, lost = leases[:3_000], leases[3_000:4_500], leases[4_500:]
    measure("fail", lambda: finish(store, *(failed(lease) for lease in broken)))
    measure("complete", lambda: finish(store, *(completed(lease, "item") for lease in done)))
    measure("beat", lambda: store.workers.beat(worker, [lease.fence for lease in lost]))
    measure("sweep", lambda: store.workers.sweep(dead=[worker]))
    measure("count", lambda: store.tasks.count(TaskFilter(run=run, error_class="permanent")))
    measure("find", lambda: store.tasks.find(failed_ones))
    measure("items", lambda: store.results.items(run, complete_only=True))
    assert measure("retry", lambda: store.tasks.retry(failed_ones)) == 3_000
    assert measure("cancel", lambda: store.runs.cancel(run)) == 4_500
    assert measure("check", store.upkeep.check) == []
    assert measure("retry all", lambda: store.tasks.retry(TaskFilter(run=run))) == 6_000
    measure("claim again", lambda: claim(store, a_worker(store), 6_000))
    measure("cancel again", lambda: store.runs.cancel(run))
    measure("remove", lambda: store.runs.remove(run))
    assert slow == {}


def test_a_walk_is_noticed(store: Store, database: Database, monkeypatch: pytest.MonkeyPatch):
    a_run(store, 10)
    schema = "" if database.kind == "sqlite" else "swather."
    with recorded(store, LARGE, monkeypatch) as found:
        store.connection.row(f"SELECT id FROM {schema}tasks AS t WHERE target = '0'")
        store.connection.row(f"SELECT id FROM {schema}tasks AS t WHERE id = 1")
    assert (len(found.statements), len(found.walks)) == (2, 1)


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_a_beat_reads_leases_so_that_dead_entries_are_marked(
    store: Store, database: Database, monkeypatch: pytest.MonkeyPatch
):
    run, worker = a_run(store, 500), a_worker(store)
    leases = claim(store, worker, 500)
    # With these statistics the planner prefers a bitmap.
    database.execute("ANALYZE swather.leases")
    with recorded(store, LARGE, monkeypatch) as found:
        store.workers.beat(worker, [lease.fence for lease in leases])
    (plan,) = (plan for sql, plan in found.plans.items() if "FROM swather.leases" in sql)
    assert "Bitmap" not in plan
    assert "leases_worker" in plan
    assert store.runs.counts(run).leased == 500


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_what_waits_and_runs_is_looked_at_by_index_only(
    store: Store, database: Database, monkeypatch: pytest.MonkeyPatch
):
    """A bitmap is made of all that matches before the first row is read, whatever the LIMIT."""
    run = a_run(store, 5_000)
    claim(store, a_worker(store), 500)
    database.execute("ANALYZE swather.ready")
    database.execute("ANALYZE swather.leases")
    with recorded(store, LARGE | {"leases"}, monkeypatch) as found:
        waiting = store.tasks.waiting(run)
        assert store.sources.of_run(run) == []
    assert [(lane.ready, lane.is_counted) for lane in waiting.lanes] == [(2_000, False)]
    assert found.walks == set()
    looked = [plan for sql, plan in found.plans.items() if "ready" in sql or "leases" in sql]
    assert len(looked) == 2
    assert not any("Bitmap" in plan for plan in looked)
