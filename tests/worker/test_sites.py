"""What a worker tells the fleet of sites, for itself: what the store is told is only noted."""

from types import SimpleNamespace

import pytest

from swather.scraping.code_version import CodeVersions
from swather.worker.access.breaker import Ended
from swather.worker.access.sites import ADAPT_SECONDS, BreakerTripped, Sites
from swather.worker.access.throttle import Throttle
from swather.worker.settings import POLITE

DOWN = Ended("transient", "HTTP 502", 502)


class Noting:
    """A store whose lanes and breakers note what they are told."""

    def __init__(self):
        self.strikes, self.adapted, self.tripped, self.closed = [], [], [], []
        self.lanes = SimpleNamespace(strike=self._strike, adapt=self._adapt)
        self.breakers = SimpleNamespace(
            trip=lambda *place, **seen: self.tripped.append(place),
            close=lambda *place: self.closed.append(place),
        )

    def _strike(self, lane, *, retry_after_seconds, reason, curve):
        self.strikes.append((lane, retry_after_seconds))
        return retry_after_seconds or 60.0

    def _adapt(self, lane, *, latency_seconds, failed, policy):
        self.adapted.append((lane, pytest.approx(latency_seconds), failed))


@pytest.fixture
def store():
    return Noting()


class AtOnce:
    """Does what it is given on the spot, and passes on what that says."""

    def __init__(self, store):
        self._store = store
        self.said = []

    def submit(self, work):
        self.said.append(work(self._store))


@pytest.fixture
def background(store):
    return AtOnce(store)


@pytest.fixture
def sites(background):
    return Sites(POLITE, Throttle(None, None), background, CodeVersions({}))


def test_refusals_that_come_together_are_told_once(store, sites):
    for _ in range(50):
        sites.strike("a", 30.0, "HTTP 429")
    sites.strike("b", None, "HTTP 503")
    assert store.strikes == [("a", 30.0), ("b", None)]


def test_a_longer_wish_to_be_left_alone_is_told(store, sites):
    for seconds in (10.0, 30.0, 20.0):
        sites.strike("a", seconds, "HTTP 429")
    assert store.strikes == [("a", 10.0), ("a", 30.0)]


def test_latencies_are_told_as_their_average_and_not_for_each_answer(store, sites, monkeypatch):
    for seconds in (0.1, 0.2, 0.3):
        sites.timed("a", seconds, failed=False)
    sites.timed("", 9.0, failed=False)
    sites.tick()
    sites.timed("a", 0.2, failed=False)
    sites.tick()
    assert store.adapted == [("a", 0.2, False)]
    later = ADAPT_SECONDS + 0.1
    monkeypatch.setattr("swather.worker.access.sites.monotonic", lambda: 1e9 + later)
    sites.tick()
    assert len(store.adapted) == 2


def test_an_error_page_is_no_proof_of_speed(store, sites):
    sites.timed("a", 1.0, failed=False)
    sites.timed("a", 0.001, failed=True)
    sites.tick()
    assert store.adapted == [("a", 1.0, True)]


def test_one_error_among_many_answers_means_nothing(store, sites):
    for _ in range(99):
        sites.timed("a", 1.0, failed=False)
    sites.timed("a", 0.001, failed=True)
    sites.tick()
    assert store.adapted == [("a", 1.0, False)]


def test_a_breaker_that_opens_is_told_here_and_to_all(store, sites, background):
    opens = [sites.ended(("books", "a"), DOWN, began_at=0.0) for _ in range(20)]
    assert opens == [False] * 19 + [True]
    assert store.tripped == [("books", "a")]
    assert background.said == [BreakerTripped(("books", "a"))]


def test_a_breaker_that_closes_is_told_to_all(store, sites):
    for _ in range(20):
        sites.ended(("books", "a"), DOWN, began_at=0.0)
    sites.receive(BreakerTripped(("books", "a")))
    sites.ended(("books", "a"), Ended("", "", 200), began_at=1e12)
    assert store.closed == [("books", "a")]
