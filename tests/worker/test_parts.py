"""The small parts of a worker, each for itself."""

import threading
import time

import msgspec
import pytest

from swather.errors import Postponed
from swather.net.egress import DIRECT
from swather.net.errors import Disallowed, HttpStatusError, RobotsUnreachable, UnusableURL
from swather.net.request import Request
from swather.scraping.classify import classify
from swather.worker.claiming import MAX_PREFETCH, Prefetch
from swather.worker.exchange import Leases
from swather.worker.runners import wire
from swather.worker.watchdog import Watchdog


def test_a_claim_is_put_off_while_a_beat_looks():
    leases = Leases()
    with leases.beat(1.0):
        assert not leases.begin_claim()
    assert leases.begin_claim()


def test_a_beat_waits_for_a_claim_and_then_knows_its_leases():
    leases = Leases()
    assert leases.begin_claim()
    threading.Timer(0.05, leases.end_claim, [[(1, 7)]]).start()
    with leases.beat(10.0) as fences:
        assert fences == {(1, 7)}


def test_a_beat_does_not_wait_for_a_claim_for_ever():
    leases = Leases()
    assert leases.begin_claim()
    began = time.monotonic()
    with leases.beat(0.05) as fences:
        assert fences == frozenset()
    assert time.monotonic() - began < 5


def test_nothing_is_prefetched_before_a_task_was_seen():
    assert Prefetch().target(100) == 0


def test_quick_tasks_are_prefetched_step_by_step_up_to_a_bound():
    prefetch = Prefetch()
    prefetch.observe(0.00001)
    targets = [prefetch.target(10) for _ in range(12)]
    assert targets[0] < 100
    assert targets == sorted(targets)
    assert targets[-1] == MAX_PREFETCH


def test_slow_tasks_are_not_prefetched():
    prefetch = Prefetch()
    prefetch.observe(1.0)
    assert prefetch.target(10) == 0


def test_what_is_paced_is_not_prefetched():
    prefetch = Prefetch()
    prefetch.observe(0.001)
    assert prefetch.target(10) > 0
    prefetch.claimed(limited=True)
    assert prefetch.target(10) == 0
    prefetch.claimed(limited=False)
    assert prefetch.target(10) > 0


class Time:
    def __init__(self, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr("swather.worker.watchdog.time.monotonic", lambda: self.now)


def test_a_loop_may_be_blocked_until_the_longest_deadline_and_a_grace(monkeypatch):
    clock = Time(monkeypatch)
    watchdog = Watchdog(lambda: 110.0, grace_seconds=5.0)
    watchdog.tick()
    assert not watchdog.is_stuck()
    for _ in range(15):
        clock.now += 1
        assert not watchdog.is_stuck()
    clock.now += 1
    assert watchdog.is_stuck()


def test_what_began_after_the_last_look_may_run_until_its_own_deadline(monkeypatch):
    clock = Time(monkeypatch)
    deadlines = [None]
    watchdog = Watchdog(lambda: deadlines[-1], grace_seconds=5.0)
    watchdog.tick()
    assert not watchdog.is_stuck()
    deadlines.append(clock.now + 60)
    for _ in range(65):
        clock.now += 1
        assert not watchdog.is_stuck()
    clock.now += 1
    assert watchdog.is_stuck()


def test_a_loop_that_ticks_is_never_stuck(monkeypatch):
    clock = Time(monkeypatch)
    watchdog = Watchdog(lambda: None, grace_seconds=1.0)
    for _ in range(10):
        watchdog.tick()
        assert not watchdog.is_stuck()
        clock.now += 1.5


def test_time_in_which_the_whole_process_was_stopped_does_not_count(monkeypatch):
    clock = Time(monkeypatch)
    watchdog = Watchdog(lambda: None, grace_seconds=5.0)
    watchdog.tick()
    assert not watchdog.is_stuck()
    clock.now += 3_600
    assert not watchdog.is_stuck()


@pytest.mark.parametrize(
    "error",
    [
        Postponed("lane a is paused"),
        Disallowed("robots.txt disallows /b"),
        RobotsUnreachable("no robots.txt", 61.5),
        UnusableURL("ftp: cannot be requested"),
        HttpStatusError(429, "http://a/", 7.0),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_is_the_same_for_a_child_as_for_its_worker(error):
    reply = wire.Reply(1, error=wire.error_of(error))
    read = wire.message_of(wire.frame(reply)[wire.LENGTH.size :])
    raised = wire.raised_from(read.error)
    assert type(raised) is type(error)
    assert str(raised) == str(error)
    assert vars(raised) == vars(error)
    assert classify(raised).fault.error_class == classify(error).fault.error_class


def test_a_request_of_a_child_keeps_its_egress():
    direct = Request(url="http://a.example/", headers={"A": "1"}, session="s")
    proxied = direct.through("socks5h://me:s3cret@p.example:1")
    assert wire.request_of(wire.pack(proxied)) == proxied
    read = wire.request_of(wire.pack(direct))
    assert read == direct
    assert read.egress is DIRECT


def test_a_request_of_a_child_with_what_is_no_egress_is_refused():
    told = {"url": "http://a.example/", "egress": {"proxy_url": "socks5://me:s3cret/@p.example:1"}}
    with pytest.raises(msgspec.ValidationError, match=r"the proxy at 'p\.example' cannot be used"):
        wire.request_of(msgspec.msgpack.encode(told))


def test_an_error_that_only_the_worker_knows_is_told_by_its_text():
    raised = wire.raised_from(wire.error_of(ZeroDivisionError("by nought")))
    assert str(raised) == "ZeroDivisionError: by nought"
