"""What a worker knows of lanes, for itself: a store that is asked is a list of its answers."""

import asyncio
import itertools
import time
from types import SimpleNamespace

import pytest

from swather.errors import Postponed
from swather.model.lease import Permits
from swather.worker.access import permits
from swather.worker.access import throttle as module
from swather.worker.access.permits import InFlight, Punctuality
from swather.worker.access.throttle import Throttle


class Asked:
    """Answers each question for a permit with the next of these."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.times = 0

    async def __call__(self, attempt, lane, *, in_flight=None, gives_up=False, limits=None):
        self.times += 1
        await asyncio.sleep(0)
        answer = self.answers.pop(0)
        return answer() if callable(answer) else answer


def granted(**fields):
    return Permits(1, granted_at=time.monotonic(), **fields)


def late(seconds=1.0, **fields):
    return Permits(1, granted_at=time.monotonic() - seconds, **fields)


async def told(lane, n):
    pass


def a_throttle(asked):
    return Throttle(asked, InFlight(told))


def an_attempt(lane="own", every_seconds=0.0):
    lease = SimpleNamespace(lane=lane, claimed_at=time.monotonic(), every_seconds=every_seconds)
    attempt = SimpleNamespace(lease=lease, postponed=None)
    attempt.postpone = lambda seconds: setattr(attempt, "postponed", seconds)
    return attempt


def pay(asked, lane="own", times=1):
    attempt, throttle = an_attempt(), a_throttle(asked)

    async def pay():
        await asyncio.gather(*(throttle.wait_for_permit(attempt, lane) for _ in range(times)))

    asyncio.run(pay())
    return attempt


def test_a_permit_that_came_later_than_usual_is_thrown_away():
    asked = Asked(granted, late, late, granted)
    pay(asked, times=2)
    assert asked.times == 4


def test_permits_that_are_all_late_keep_their_distance_and_are_soon_taken(monkeypatch):
    now = itertools.count(time.monotonic(), 0.2)
    monkeypatch.setattr(permits, "monotonic", lambda: next(now))
    punctuality = Punctuality()
    in_time = [punctuality.judge("own", 0.3, 0.2) for _ in range(20)]
    assert in_time == sorted(in_time)
    assert in_time.count(False) < 8


def test_permits_that_were_kept_do_not_become_usual_by_being_many():
    punctuality = Punctuality()
    kept = [8.0 - 0.25 * number for number in range(30)]
    assert not any(punctuality.judge("own", seconds, 0.25) for seconds in kept)


def test_a_permit_of_a_slow_lane_is_good_for_longer():
    asked = Asked(lambda: late(2.0, every_seconds=60.0))
    pay(asked)
    assert asked.times == 1


def test_a_moment_that_was_granted_is_waited_for():
    asked = Asked(lambda: granted(starts_in_seconds=0.1, every_seconds=0.1))
    began = time.monotonic()
    pay(asked)
    assert time.monotonic() - began >= 0.1


def test_a_lane_that_was_closed_meanwhile_is_asked_again():
    async def main():
        asked = Asked(lambda: granted(starts_in_seconds=0.05, every_seconds=0.1), granted)
        throttle = a_throttle(asked)
        paying = asyncio.create_task(throttle.wait_for_permit(an_attempt(), "own"))
        await asyncio.sleep(0.02)
        throttle.close("own", 0.2)
        began = time.monotonic()
        await paying
        assert time.monotonic() - began >= 0.19
        assert asked.times == 2

    asyncio.run(main())


def test_a_place_that_came_with_a_moment_nobody_waited_for_is_left():
    async def main():
        asked = Asked(lambda: granted(starts_in_seconds=5.0, every_seconds=5.0, is_counted=True))
        in_flight = InFlight(told)
        throttle = Throttle(asked, in_flight)
        paying = asyncio.create_task(
            throttle.wait_for_counted_permit(an_attempt(), "other", gives_up=False)
        )
        await asyncio.sleep(0.02)
        assert in_flight.count("other") == 1
        paying.cancel()
        with pytest.raises(asyncio.CancelledError):
            await paying
        assert in_flight.count("other") == 0

    asyncio.run(main())


def test_a_free_lane_is_asked_for_once_in_a_while():
    asked = Asked(lambda: granted(is_free=True))
    pay(asked, times=50)
    assert asked.times == 1


def test_those_who_want_the_same_lane_ask_one_after_another():
    asked = Asked(*[granted] * 3)
    pay(asked, times=3)
    assert asked.times == 3


def test_a_paced_lane_is_waited_for():
    asked = Asked(Permits(0, 0.05, "paced"), granted)
    began = time.monotonic()
    pay(asked)
    assert time.monotonic() - began >= 0.05


@pytest.mark.parametrize("held", [Permits(0, 60.0, "cooling"), Permits(0, None, "paused")])
def test_a_lane_that_is_closed_is_not_waited_for(held):
    attempt, throttle = an_attempt(), a_throttle(Asked(held))
    with pytest.raises(Postponed, match="lane own is"):
        asyncio.run(throttle.wait_for_permit(attempt, "own"))
    assert attempt.postponed == 0.0


def test_who_needs_a_closed_lane_of_others_comes_when_it_opens():
    attempt, throttle = an_attempt(), a_throttle(Asked(Permits(0, 60.0, "cooling")))
    with pytest.raises(Postponed):
        asyncio.run(throttle.wait_for_permit(attempt, "theirs"))
    assert attempt.postponed == pytest.approx(60, abs=1)


def test_a_closed_lane_is_known_to_be_so_until_something_changes():
    asked = Asked(Permits(0, 60.0, "cooling"), granted)
    throttle = a_throttle(asked)
    for _ in range(3):
        with pytest.raises(Postponed):
            asyncio.run(throttle.wait_for_permit(an_attempt(), "own"))
    assert asked.times == 1
    throttle.forget()
    asyncio.run(throttle.wait_for_permit(an_attempt(), "own"))


def test_who_waits_for_a_slow_lane_asks_again_when_something_changes():
    def refused():
        asyncio.get_running_loop().call_later(0.01, throttle.forget)
        return Permits(0, 3_600.0, "paced")

    asked = Asked(refused, granted)
    throttle = a_throttle(asked)

    async def work():
        await throttle.wait_for_permit(an_attempt(), "own")

    asyncio.run(asyncio.wait_for(work(), 30))
    assert asked.times == 2


def test_a_claim_pays_for_a_request_that_is_made_at_once(monkeypatch):
    throttle = a_throttle(Asked())
    lease = an_attempt(every_seconds=0.05).lease
    assert throttle.use_claim(lease)
    later = time.monotonic() + 2 * permits.GOOD_FOR_SECONDS
    monkeypatch.setattr(module, "monotonic", lambda: later)
    assert not throttle.use_claim(lease)


@pytest.mark.parametrize("seconds", [1, 3])
def test_without_a_pace_it_may_be_made_later(monkeypatch, seconds):
    throttle = a_throttle(Asked())
    lease = an_attempt().lease
    later = time.monotonic() + seconds
    monkeypatch.setattr(module, "monotonic", lambda: later)
    assert throttle.use_claim(lease) == (seconds < module.FREE_TO_BEGIN_SECONDS)
    throttle.forget()
    assert not throttle.use_claim(lease)


def test_a_lane_that_was_free_just_now_costs_nothing_however_old_the_claim(monkeypatch):
    throttle = a_throttle(Asked(lambda: granted(is_free=True)))
    lease = an_attempt().lease
    asyncio.run(throttle.wait_for_permit(an_attempt(), "own"))
    throttle._free["own"] = throttle._free["own"]._replace(at=time.monotonic() + 9)
    later = time.monotonic() + 10
    monkeypatch.setattr(module, "monotonic", lambda: later)
    assert throttle.use_claim(lease)


def test_a_claim_pays_for_nothing_on_a_lane_that_was_closed_or_slowed_down_since():
    closed, slower = a_throttle(Asked()), a_throttle(Asked())
    before = an_attempt().lease
    closed.close("own", 60.0)
    slower.slow_down("own")
    assert not closed.use_claim(before)
    assert not slower.use_claim(before)
    after = an_attempt().lease
    assert closed.use_claim(after), "it could not have been claimed while the lane was closed"
    assert slower.use_claim(after)


def test_what_is_claimed_before_others_know_of_a_closed_lane_is_not_paid():
    throttle = a_throttle(Asked())
    throttle.close("own", 60.0, known_in_seconds=1.0)
    assert not throttle.use_claim(an_attempt().lease)
