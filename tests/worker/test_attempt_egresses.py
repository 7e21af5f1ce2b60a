import asyncio
from types import SimpleNamespace

import pytest

from swather.errors import Postponed
from swather.model.outcome import Fault
from swather.model.retry import ErrorClass, Faults
from swather.net.egress import DIRECT, Egress
from swather.net.errors import LaneBusy, ProxyFailed
from swather.net.request import Request
from swather.scraping.classify import Classified
from swather.worker.access.attempt_egresses import AttemptEgresses
from swather.worker.access.egress_source import NoEgress

ONE = Egress.through("http://one.example:1")
URL = "http://shop.example/a"


class FakeRequester:
    def __init__(self):
        self.job = SimpleNamespace(run=SimpleNamespace(id=7), names_lanes=False)
        self.lease = SimpleNamespace(lane="shop.example", faults=Faults(avoids=" http://old:1"))
        self.postponed = None
        self.clock = []

    def check(self):
        pass

    def stop_clock(self, waits_for):
        self.clock.append(waits_for)

    def start_clock(self, waited_for):
        self.clock.remove(waited_for)

    def postpone(self, seconds):
        self.postponed = seconds


class FakeSource:
    """`gives` is an egress, or why there is none."""

    trouble = ""
    is_out = False

    def __init__(self, gives=ONE, *, at_once=True, others_left=True):
        self.gives = gives
        self.at_once = at_once
        self.others_left = others_left
        self.told = []

    def choose(self, asker, lane, session):
        return self.gives if self.at_once else None

    async def wait(self, asker, lane, session):
        if isinstance(self.gives, Exception):
            raise self.gives
        await asyncio.sleep(0 if self.gives else 3600)
        return self.gives

    def has_other(self, asker, lane):
        return self.others_left

    def answered(self, egress, lane, status, seconds):
        self.told.append(("answered", lane, status))

    def blocked(self, egress, lane, retry_after_seconds):
        self.told.append(("blocked", lane, retry_after_seconds))
        return self.others_left

    def failed(self, egress, lane, error, seconds):
        self.told.append(("failed", lane, type(error).__name__))


def egresses_through(source):
    return AttemptEgresses(FakeRequester(), source, throttle=None)


def let_out(egresses, **fields):
    return asyncio.run(egresses.let_out(Request(url=URL, **fields)))


def failure(error_class, after_seconds=None, *, cools_lane=False):
    return Classified(Fault(error_class=error_class, message="no"), None, after_seconds, cools_lane)


def test_a_request_leaves_through_the_egress_of_its_source():
    assert let_out(egresses_through(FakeSource())).egress == ONE


def test_its_clock_stands_still_while_it_waits_for_an_egress():
    egresses = egresses_through(FakeSource(at_once=False))
    assert let_out(egresses).egress == ONE
    assert egresses.requester.clock == []


def test_a_source_that_gave_a_direct_egress_would_be_stopped():
    with pytest.raises(AssertionError):
        let_out(egresses_through(FakeSource(DIRECT)))


def test_without_an_egress_the_attempt_is_postponed():
    egresses = egresses_through(FakeSource(NoEgress("all 2 proxies are out", 60.0), at_once=False))
    with pytest.raises(Postponed, match="all 2 proxies are out"):
        let_out(egresses)
    assert egresses.requester.postponed == 60.0


@pytest.mark.parametrize("gives", [None, NoEgress("all 2 proxies are out", 60.0)])
def test_a_request_that_may_not_wait_is_refused_and_its_attempt_goes_on(gives):
    egresses = egresses_through(FakeSource(gives, at_once=False))
    with pytest.raises(LaneBusy):
        let_out(egresses, max_wait=0.01)
    assert egresses.requester.postponed is None


def test_a_session_by_proxy_is_that_of_the_egress_and_others_keep_theirs():
    assert let_out(egresses_through(FakeSource()), session="run:7/proxy:").session == (
        "run:7/proxy:http://one.example:1"
    )
    assert let_out(egresses_through(FakeSource()), session="run:7/").session == "run:7/"


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (200, ("answered", "shop.example", 200)),
        (404, ("answered", "shop.example", 404)),
        (407, ("failed", "shop.example", "ProxyFailed")),
        (429, ("blocked", "shop.example", 9.0)),
        (503, ("blocked", "shop.example", 9.0)),
    ],
)
def test_a_source_is_told_what_an_answer_means_for_its_egress(status, told):
    egresses = egresses_through(FakeSource())
    assert not egresses.answered(ONE, URL, status, 9.0, 0.1)
    egresses.close()
    assert egresses.source.told == [told]


def test_a_block_concerns_the_whole_lane_if_no_other_egress_is_left():
    assert egresses_through(FakeSource(others_left=False)).answered(ONE, URL, 429, None, 0.1)


def test_a_page_that_the_scraper_calls_a_block_is_no_answer_of_a_good_egress():
    egresses = egresses_through(FakeSource())
    let_out(egresses)
    egresses.answered(ONE, URL, 200, None, 0.1)
    egresses.answered(ONE, URL, 403, None, 0.1)
    judged = egresses.judge(failure(ErrorClass.BLOCKED, 30.0, cools_lane=True))
    egresses.close()
    assert egresses.source.told == [
        ("answered", "shop.example", 200),
        ("blocked", "shop.example", 30.0),
    ]
    assert (judged.after_seconds, judged.cools_lane) == (0.0, False)
    assert judged.fault.egress == ONE.key
    assert egresses.failed_keys == {"http://old:1", ONE.key}


@pytest.mark.parametrize("error_class", [ErrorClass.BLOCKED, ErrorClass.PROXY])
@pytest.mark.parametrize("others_left", [True, False])
def test_a_target_that_failed_for_its_egress_is_retried_at_once_if_others_are_left(
    error_class, others_left
):
    egresses = egresses_through(FakeSource(others_left=others_left))
    let_out(egresses)
    egresses.failed(ONE, URL, ProxyFailed("dead"), 0.1)
    judged = egresses.judge(failure(error_class))
    assert judged.after_seconds == (0.0 if others_left else None)


def test_a_failure_of_the_page_is_left_as_it_is():
    egresses = egresses_through(FakeSource())
    let_out(egresses)
    egresses.answered(ONE, URL, 200, None, 0.1)
    fault = failure(ErrorClass.TIMEOUT)
    assert egresses.judge(fault) is fault
