"""The circuit breaker's window, for itself."""

import pytest

from swather.errors import InputError
from swather.model.lane import BreakerPolicy
from swather.model.retry import ErrorClass
from swather.scraping.code_version import CodeVersions
from swather.scraping.scraper import scraper
from swather.worker.access.breaker import Breakers, Closes, Ended, Opened, Opens, told_by


@scraper
def books(ctx, target): ...


CODES = CodeVersions({"books": books})
PLACE = ("books", "example.com")
FINE = Ended("", "", 200)
DOWN = Ended("transient", "HTTP 502 from …", 502)
REFUSED = Ended("blocked", "HTTP 429 from …", 429)


class Worker:
    """Attempts one after another, a second each."""

    def __init__(self, **policy):
        self.breakers = Breakers(BreakerPolicy(**policy), CODES)
        self.now = 100.0

    def end(self, *ended, place=PLACE, began_at=None):
        """What the last of these attempts leads to."""
        followed = None
        for one in ended:
            began, self.now = self.now, self.now + 1
            # As Sites does: nothing follows from a success where no breaker is open.
            if not one.error_class and self.breakers.note_success(place, one):
                followed = None
                continue
            followed = self.breakers.observe(
                place, one, began_at=began if began_at is None else began_at, now=self.now
            )
            if isinstance(followed, Opens):
                self.breakers.confirm(place, self.now)
        return followed


def test_it_opens_when_nearly_everything_fails():
    opens = Worker().end(FINE, FINE, *[DOWN] * 18)
    assert isinstance(opens, Opens)
    assert opens.probe_seconds == 30.0
    assert opens.seen == {
        "of": 20,
        "failed": 18,
        "classes": {"transient": 18, "ok": 2},
        "statuses": {"502": 18, "200": 2},
        "error": "HTTP 502 from …",
        "times": 18,
        "code": CODES.of("books"),
    }


@pytest.mark.parametrize("ended", [[DOWN] * 19, [FINE] * 3 + [DOWN] * 17])
def test_it_stays_closed_before_that(ended):
    assert Worker().end(*ended) is None


def test_successes_count_among_the_last_attempts():
    policy = {"window": 5, "share": 1.0}
    assert Worker(**policy).end(*[DOWN] * 4, FINE, DOWN) is None
    assert isinstance(Worker(**policy).end(FINE, *[DOWN] * 5), Opens)


def test_a_success_of_an_open_breaker_is_no_small_matter():
    worker = Worker(window=2)
    worker.end(DOWN, DOWN)
    assert not worker.breakers.note_success(PLACE, FINE)
    assert isinstance(worker.end(FINE), Closes)


def test_old_attempts_are_forgotten():
    assert isinstance(Worker().end(*[FINE] * 1_000, *[DOWN] * 18), Opens)


def test_lanes_and_scrapers_are_told_apart():
    worker = Worker()
    for lane in ("a", "b"):
        worker.end(*[DOWN] * 19, place=("books", lane))
    assert worker.end(FINE, place=("books", "a")) is None
    assert worker.end(DOWN, place=("shoes", "b")) is None
    assert isinstance(worker.end(DOWN, place=("books", "b")), Opens)


def test_a_probe_that_fails_puts_off_the_next_one_up_to_a_cap():
    worker = Worker(probe_seconds=10, probe_cap_seconds=35)
    worker.end(*[DOWN] * 20)
    assert [worker.end(DOWN).probe_seconds for _ in range(3)] == [20, 35, 35]


def test_a_probe_that_succeeds_closes_it_and_all_is_forgotten():
    worker = Worker()
    worker.end(*[DOWN] * 20)
    assert worker.end(FINE) == Closes()
    assert worker.end(*[DOWN] * 19) is None
    assert isinstance(worker.end(DOWN), Opens)


def test_what_had_begun_before_it_opened_is_no_probe():
    worker = Worker()
    began = worker.now
    worker.end(*[DOWN] * 20)
    assert worker.end(DOWN, began_at=began) is None
    assert worker.end(FINE, began_at=began) is None
    assert worker.end(DOWN).probe_seconds == 60.0


def test_what_is_claimed_before_all_know_that_it_is_open_is_no_probe():
    breakers = Breakers(BreakerPolicy(window=1), CODES)
    assert breakers.observe(PLACE, DOWN, began_at=1.0, now=2.0)
    assert breakers.observe(PLACE, DOWN, began_at=3.0, now=4.0) is None
    assert breakers.observe(PLACE, FINE, began_at=3.0, now=4.0) is None
    breakers.confirm(PLACE, 5.0)
    assert breakers.observe(PLACE, DOWN, began_at=6.0, now=7.0).probe_seconds == 60.0


def test_one_that_others_have_opened_is_probed_here_as_well():
    worker = Worker()
    worker.breakers.learn({PLACE: Opened({"failed": 19}, 40.0, worker.now)})
    opens = worker.end(DOWN)
    assert opens.probe_seconds == 80.0
    assert opens.seen["failed"] == 19
    assert opens.seen["last_probe"]["status"] == 502
    assert worker.end(FINE) == Closes()


def test_one_that_others_have_closed_is_closed_here():
    worker = Worker()
    worker.end(*[DOWN] * 20)
    worker.breakers.learn({})
    assert worker.end(DOWN) is None


def test_a_probe_that_was_claimed_before_this_worker_knew_closes_it():
    worker = Worker()
    began = worker.now
    worker.breakers.learn({PLACE: Opened({}, 40.0, since=began - 600)})
    assert worker.end(FINE, began_at=began - 1) == Closes()


def test_a_success_after_a_probe_that_failed_closes_it_whenever_that_was_told():
    worker = Worker()
    worker.breakers.learn({PLACE: Opened({}, 40.0, since=worker.now)})
    began = worker.now
    assert isinstance(worker.end(DOWN), Opens)
    assert worker.end(FINE, began_at=began) == Closes()


def test_what_failed_before_others_opened_it_does_not_count_when_it_is_closed():
    worker = Worker()
    worker.end(*[DOWN] * 19)
    worker.breakers.learn({PLACE: Opened({}, 40.0, worker.now)})
    worker.breakers.learn({})
    assert worker.end(*[DOWN] * 19) is None


def test_one_that_other_code_has_opened_is_closed_once():
    worker = Worker()
    other, ours = ({"code": code} for code in ("other", CODES.of("books")))
    assert worker.breakers.learn({PLACE: Opened(ours, 40.0, 0.0)}) == []
    assert worker.breakers.learn({PLACE: Opened({}, 40.0, 0.0)}) == []
    assert worker.breakers.learn({PLACE: Opened(other, 40.0, 0.0)}) == [PLACE]
    assert worker.end(DOWN) is None
    assert worker.breakers.learn({PLACE: Opened(other, 40.0, 0.0)}) == []
    assert isinstance(worker.end(DOWN), Opens)
    assert worker.breakers.learn({("shoes", "x"): Opened(other, 40.0, 0.0)}) == []


def test_what_our_requests_did_not_see_is_told_apart_from_silence():
    failed = [Ended("transient", "TypeError", None)] * 3 + [Ended("transient", "reset", 0)] * 2
    opens = Worker(window=5).end(*failed)
    assert opens.seen["statuses"] == {"no request": 3, "no answer": 2}


def test_many_requests_that_are_refused_together_are_one_refusal():
    worker = Worker()
    assert worker.end(*[REFUSED] * 50, began_at=worker.now) is None
    assert isinstance(worker.end(*[REFUSED] * 19), Opens)


def test_a_window_of_none_never_opens():
    assert Worker(window=0).end(*[DOWN] * 100) is None


@pytest.mark.parametrize(
    ("error_class", "reason", "told"),
    [
        (ErrorClass.TRANSIENT, None, True),
        (ErrorClass.TIMEOUT, None, True),
        (ErrorClass.BLOCKED, None, True),
        (ErrorClass.CRASH, None, True),
        (ErrorClass.PERMANENT, None, True),
        (ErrorClass.PERMANENT, "layout_changed", True),
        (ErrorClass.PERMANENT, "not_found", False),
        (ErrorClass.PERMANENT, "no_subtitles", False),
        (ErrorClass.PERMANENT, "http_418", False),
        (ErrorClass.PERMANENT, "robots", None),
        (ErrorClass.PERMANENT, "private_address", None),
        (ErrorClass.PROXY, None, None),
    ],
)
def test_an_end_with_a_name_says_nothing_against_the_site(error_class, reason, told):
    assert told_by(error_class, reason) is told


@pytest.mark.parametrize(
    "policy",
    [{"window": -1}, {"share": 0}, {"share": 1.1}, {"probe_seconds": 0}, {"probe_cap_seconds": 1}],
)
def test_senseless_policies_are_refused(policy):
    with pytest.raises(InputError):
        BreakerPolicy(**policy)
