"""Sources: what attempts note of them adds up, and one that keeps failing is left alone."""

from collections import Counter
from random import Random

import pytest

from swather.errors import BadTarget, InputError, NotFound, StoreError
from swather.model.lease import Lease
from swather.model.outcome import Verdict
from swather.model.pacing import NO_LIMITS
from swather.model.source import (
    FIRST_OPEN_SECONDS,
    MAX_OPEN_SECONDS,
    PROBE_SECONDS,
    Answer,
    SourceNote,
    SourceState,
    SourceStats,
)
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import (
    a_lease,
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    released,
    retried,
    run_of,
)
from tests.store.threads import together

DAY = 86_400.0


def ok(name: str = "api", seconds: float = 0.5, **counts: int) -> SourceNote:
    return SourceNote(name=name, answer=Answer.SUCCEEDED, seconds=seconds, counts=counts)


def bad(name: str = "api", error: str = "HTTP 500", seconds: float = 0.5) -> SourceNote:
    return SourceNote(name=name, answer=Answer.FAILED, seconds=seconds, error=error)


def note(store: Store, *notes: SourceNote, scraper: str = "books") -> Lease:
    """An attempt that completes with these notes."""
    lease = a_lease(store, scraper=scraper)
    assert finish(store, completed(lease, sources=notes)) == [Verdict.ACCEPTED]
    return lease


def only(found: list[SourceStats]) -> SourceStats:
    (stats,) = found
    return stats


def ask(store: Store, lease: Lease | None = None, source: str = "api") -> SourceState:
    return store.sources.ask((lease or a_lease(store)).fence, "books", source)


@pytest.mark.slow
def test_notes_of_many_workers_add_up_to_what_they_noted(store: Store):
    run = a_run(store, 80)
    random = Random(7)
    notes = [
        [
            SourceNote(
                name=random.choice(["api", "mirror", "search"]),
                answer=(answer := random.choice(list(Answer))),
                seconds=0.25 * random.randrange(8),
                error=f"HTTP {random.choice([500, 503])} for id {random.randrange(10**6)}"
                if answer is Answer.FAILED
                else "",
                counts={"images": random.randrange(4), "videos": random.randrange(2)},
            )
            for _ in range(random.randrange(6))
        ]
        for _ in range(80)
    ]
    ends = [completed, retried, failed]

    def work(mine: Store, worker: int) -> list[str]:
        verdicts: list[str] = []
        for lease in claim(mine, worker, 10, runs=(run,)):
            made, end = notes[lease.target], ends[lease.target % 3]
            half = len(made) // 2
            if half:
                for _ in range(2):  # the second time as after a lost reply
                    mine.queue.checkpoint(lease.fence, part=0, cursor=1, sources=made[:half])
            outcome = end(lease, 600) if end is retried else end(lease)
            verdicts += finish(mine, type(outcome)(**fields_of(outcome), sources=made[half:]))
        return verdicts

    assert together(store, work) == ["accepted"] * 80
    truth: Counter[tuple[str, str]] = Counter()
    for each in (each for made in notes for each in made):
        truth[each.name, each.answer] += 1
        if each.answer is not Answer.SKIPPED:
            truth[each.name, "seconds"] += each.seconds
        if each.answer is Answer.FAILED:
            truth[each.name, each.error.partition(" for")[0] + " for id #"] += 1
        for name, count in each.counts.items():
            truth[each.name, f"count {name}"] += count
    for found in (store.sources.of_run(run), store.sources.find(since_seconds=DAY)):
        assert +Counter(told(found)) == +truth
    assert store.upkeep.check() == []


def fields_of(outcome) -> dict[str, object]:
    return {name: getattr(outcome, name) for name in outcome.__struct_fields__ if name != "sources"}


def told(found: list[SourceStats]) -> dict[tuple[str, str], float]:
    numbers: dict[tuple[str, str], float] = {}
    for stats in found:
        assert stats.asked == stats.succeeded + stats.failed == stats.asked
        assert sum(stats.failures.values()) == stats.failed
        for name in ("succeeded", "failed", "skipped", "seconds"):
            numbers[stats.source, name] = getattr(stats, name)
        numbers |= {(stats.source, title): n for title, n in stats.failures.items()}
        numbers |= {(stats.source, f"count {name}"): n for name, n in stats.counts.items()}
    return numbers


def test_sources_are_kept_by_scraper_and_by_run(store: Store):
    first = note(store, ok(images=2), ok(images=3), bad("mirror"))
    second = note(store, ok(images=1))
    note(store, bad(), scraper="films")
    assert [(each.source, each.asked) for each in store.sources.of_run(run_of(store, first))] == [
        ("api", 2),
        ("mirror", 1),
    ]
    assert only(store.sources.of_run(run_of(store, second))).counts == {"images": 1}
    assert [
        (each.scraper, each.source, each.asked, each.success_rate)
        for each in store.sources.find(since_seconds=DAY)
    ] == [("books", "api", 3, 1.0), ("books", "mirror", 1, 0.0), ("films", "api", 1, 0.0)]
    assert only(store.sources.find(since_seconds=DAY, scraper="films")).failed == 1
    assert store.sources.of_run(a_run(store)) == []
    with pytest.raises(NotFound):
        store.sources.of_run("nobody")


def test_what_was_counted_outlives_its_run_for_a_year(store: Store, clock: Clock):
    run = run_of(store, note(store, ok()))
    store.runs.settle(run)
    store.runs.remove(run)
    assert only(store.sources.find(since_seconds=1)).asked == 1
    clock.advance(9 * DAY)
    note(store, ok())
    assert only(store.sources.find(since_seconds=8 * DAY)).asked == 1
    assert only(store.sources.find(since_seconds=10 * DAY)).asked == 2
    assert store.upkeep.prune()["source counts"] == 0
    clock.advance(360 * DAY)
    assert store.upkeep.prune()["source counts"] == 2  # its answer and its seconds
    assert only(store.sources.find(since_seconds=400 * DAY)).asked == 1


def test_a_checkpoint_of_another_version_counts_again(store: Store):
    lease = a_lease(store, version="1")
    run = run_of(store, lease)
    store.queue.checkpoint(lease.fence, part=0, cursor=1, sources=[ok()])
    store.queue.checkpoint(lease.fence, part=1, cursor=2, sources=[ok()])
    finish(store, released(lease))
    store.runs.revise(run, version="2", lane_limits=NO_LIMITS)
    (again,) = claim(store, a_worker(store))
    store.queue.checkpoint(again.fence, part=0, cursor=1, sources=[ok()])
    assert only(store.sources.of_run(run)).asked == 3


@pytest.mark.slow
def test_what_is_rolled_back_is_not_counted(own_store: Store, own_database: Database):
    lease = a_lease(own_store)
    own_database.execute("ALTER TABLE checkpoints RENAME TO away")
    with pytest.raises(StoreError):
        own_store.queue.checkpoint(lease.fence, part=0, cursor=1, sources=[bad()])
    own_database.execute("ALTER TABLE away RENAME TO checkpoints")
    assert own_store.sources.find(since_seconds=DAY) == []


def test_a_source_that_never_failed_may_be_asked(store: Store):
    note(store, ok())
    assert ask(store) == SourceState()
    assert ask(store, source="never seen") == SourceState()


def test_three_failures_in_a_row_open_the_breaker_and_a_success_closes_it(
    store: Store, clock: Clock
):
    note(store, bad(), bad(), ok(), bad(), bad())
    assert not ask(store).is_open
    note(store, bad(error="HTTP 503 for 'query'"))
    state = ask(store)
    assert (state.is_open, state.reason) == (True, "HTTP 503 for 'query'")
    assert FIRST_OPEN_SECONDS - 10 < state.retry_in <= FIRST_OPEN_SECONDS
    stats = only(store.sources.find(since_seconds=DAY))
    assert (stats.breaker.state, stats.breaker.failures) == ("open", 3)
    assert not store.sources.ask(a_lease(store).fence, "films", "api").is_open
    note(store, ok())
    assert not ask(store).is_open


def test_people_are_told_of_a_source_once_until_it_has_succeeded(store: Store, clock: Clock):
    note(store, bad(), bad())
    assert store.notices.find() == []
    for _ in range(2):
        note(store, bad(error="HTTP 503"))
    (notice,) = store.notices.find()
    assert (notice.kind, notice.scraper) == ("breaker_open", "books")
    assert notice.data == {"source": "api", "seen": {"failed": 3, "of": 3, "error": "HTTP 503"}}
    clock.advance(FIRST_OPEN_SECONDS + 1)
    probe = a_lease(store)
    assert not ask(store, probe).is_open
    finish(store, completed(probe, sources=(bad(),)))
    assert len(store.notices.find()) == 1
    note(store, ok())
    note(store, bad(), bad(), bad())
    assert len(store.notices.find()) == 2


@pytest.mark.slow
def test_each_failed_probe_doubles_the_time_up_to_an_hour(store: Store, clock: Clock):
    note(store, bad(), bad(), bad())
    expected = FIRST_OPEN_SECONDS
    for _ in range(9):
        # Failures of attempts that had begun before it opened change nothing.
        note(store, bad())
        state = ask(store)
        assert state.is_open
        assert expected - 10 < state.retry_in <= expected
        clock.advance(expected + 1)
        assert not ask(store).is_open
        note(store, bad())
        expected = min(2 * expected, MAX_OPEN_SECONDS)
    assert expected == MAX_OPEN_SECONDS
    clock.advance(expected + 1)
    note(store, ok(), bad(), bad(), bad())
    assert ask(store).retry_in <= FIRST_OPEN_SECONDS


def test_one_attempt_of_the_fleet_probes(store: Store, clock: Clock):
    run = a_run(store, 8)
    note(store, bad(), bad(), bad())
    clock.advance(FIRST_OPEN_SECONDS + 1)

    def probe(mine: Store, worker: int) -> list[bool]:
        (lease,) = claim(mine, worker, runs=(run,))
        # The second time as after a lost reply.
        return [not mine.sources.ask(lease.fence, "books", "api").is_open for _ in range(2)]

    assert sorted(together(store, probe)) == [False] * 14 + [True] * 2
    stats = only(store.sources.find(since_seconds=DAY))
    assert stats.breaker.state == "half_open"
    assert 0 < ask(store).retry_in <= PROBE_SECONDS


def test_a_probe_of_a_worker_that_died_is_free_after_a_while(store: Store, clock: Clock):
    note(store, bad(), bad(), bad())
    clock.advance(FIRST_OPEN_SECONDS + 1)
    assert not ask(store).is_open
    clock.advance(PROBE_SECONDS - 10)
    assert ask(store).is_open
    clock.advance(20)
    assert not ask(store).is_open


def test_a_stale_attempt_gets_no_probe(store: Store, clock: Clock):
    note(store, bad(), bad(), bad())
    clock.advance(FIRST_OPEN_SECONDS + 1)
    stale = a_lease(store)
    finish(store, released(stale))
    assert ask(store, stale).is_open
    assert not ask(store, a_lease(store, scraper="other")).is_open


def test_reset_lets_a_source_be_asked_at_once(store: Store):
    note(store, bad(), bad(), bad())
    assert store.sources.reset("books", "api")
    assert not ask(store).is_open
    assert not store.sources.reset("books", "api")
    assert only(store.sources.find(since_seconds=DAY)).failed == 3


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (ok(""), InputError),
        (ok("a" * 501), BadTarget),
        (ok(seconds=-1), InputError),
        (ok(seconds=float("nan")), InputError),
        (ok(images=-1), InputError),
        (ok(images=0.5), InputError),
        (ok(images=2**60), InputError),
    ],
)
def test_notes_that_cannot_be_kept_write_nothing(store: Store, wrong: SourceNote, error):
    lease = a_lease(store)
    for write in (
        lambda: finish(store, completed(lease, sources=[wrong])),
        lambda: store.queue.checkpoint(lease.fence, part=0, cursor=1, sources=[wrong]),
    ):
        with pytest.raises(error):
            write()
    assert store.sources.find(since_seconds=DAY) == []


def test_hostile_errors_are_kept_short(store: Store):
    note(store, bad(error="nul\0 \ud800" + "x" * 10_000))
    (title,) = only(store.sources.find(since_seconds=DAY)).failures
    assert len(title) == 200


def report(**sources: dict[str, object]) -> dict[str, object]:
    return {"done": 1, "sources": sources}


def test_what_running_attempts_report_is_added_up_and_ends_with_them(store: Store, clock: Clock):
    run = a_run(store, 4)
    first, second, third = claim(store, a_worker(store), 3)
    asking = {"state": "asking", "done": 3, "total": 20}
    store.queue.progress(first.fence, report(api=asking, mirror={"state": "done"}))
    store.queue.progress(second.fence, report(api=asking, mirror={"state": "waiting"}))
    store.queue.checkpoint(first.fence, part=0, cursor=1, sources=[ok("mirror")])
    api, mirror = store.sources.of_run(run)
    assert (api.scraper, api.state, api.asked) == ("books", "asking", 0)
    now = api.under_way
    assert (now.waiting, now.asking, now.done, now.total) == (0, 2, 6, 40)
    assert (mirror.state, mirror.asked, mirror.under_way.waiting) == ("waiting", 1, 1)
    finish(store, completed(second, sources=[ok(), ok("mirror")]))
    assert [(each.asked, each.state) for each in store.sources.of_run(run)] == [
        (1, "asking"),
        (2, "done"),
    ]
    clock.advance(61)
    store.workers.sweep()  # first and third are lost, with what they reported
    assert [(each.asked, each.state) for each in store.sources.of_run(run)] == [
        (1, "done"),
        (2, "done"),
    ]
    assert third.task_id


@pytest.mark.parametrize(
    "wrong",
    [
        {"sources": 7},
        {"sources": {"api": {"state": "lazy"}}},
        {"sources": {"api": {"state": "asking", "done": "x"}}},
        {"note": '"sources": {}'},
    ],
)
def test_reports_of_another_kind_are_left_out(store: Store, wrong):
    lease = a_lease(store)
    store.queue.progress(lease.fence, wrong)
    assert store.sources.of_run(run_of(store, lease)) == []


def test_the_state_of_a_source_is_what_has_come_of_it(store: Store):
    skip = SourceNote(name="skipped", answer=Answer.SKIPPED)
    notes = [ok("done"), bad("done"), bad("failed"), skip, bad("skipped and failed"), skip]
    lease = note(store, *notes)
    assert {each.source: each.state for each in store.sources.of_run(run_of(store, lease))} == {
        "done": "done",
        "failed": "failed",
        "skipped": "skipped",
        "skipped and failed": "failed",
    }


def test_numbers_that_nobody_can_count_are_none(store: Store, database: Database):
    lease = note(store, ok(images=3))
    infinite = "'infinity'" if database.kind == "postgres" else "9e999"
    database.execute(f"UPDATE source_counts SET n = {infinite}")
    stats = only(store.sources.of_run(run_of(store, lease)))
    assert (stats.asked, stats.counts) == (0, {"images": 0})
