from datetime import timedelta

import pytest

from swather.errors import InputError
from swather.store import Store
from swather.store.clock import Clock
from tests.store.threads import together

ORIGIN = "https://example.com"
RULES = b"User-agent: *\nDisallow: /private\n\xff\x00"


def test_an_origin_nobody_has_asked_is_unknown(store: Store):
    assert store.robots.get(ORIGIN) is None


def test_what_a_site_said_is_read_back_as_it_was(store: Store, other: Store):
    store.robots.put(ORIGIN, 200, RULES, 3_600)
    known = other.robots.get(ORIGIN)
    assert known is not None
    assert (known.origin, known.status, known.body, known.is_fresh) == (ORIGIN, 200, RULES, True)
    assert known.fetched_at.utcoffset() == timedelta(0)


def test_it_is_fresh_for_its_time(store: Store, clock: Clock):
    store.robots.put(ORIGIN, 404, b"", 3_600)
    clock.advance(3_590)
    assert store.robots.get(ORIGIN).is_fresh
    clock.advance(20)
    known = store.robots.get(ORIGIN)
    assert (known.status, known.is_fresh) == (404, False)


def test_the_last_answer_counts(store: Store, clock: Clock):
    store.robots.put(ORIGIN, 503, b"", 60)
    clock.advance(100)
    store.robots.put(ORIGIN, 200, RULES, 60)
    known = store.robots.get(ORIGIN)
    assert (known.status, known.body, known.is_fresh) == (200, RULES, True)
    assert store.robots.get("http://example.com") is None


def test_what_is_long_out_of_date_is_pruned(store: Store, clock: Clock):
    store.robots.put(ORIGIN, 200, RULES, 86_400)
    clock.advance(7 * 86_400)
    assert store.upkeep.prune()["robots"] == 0
    clock.advance(2 * 86_400)
    store.robots.put("https://other.example", 200, RULES, 86_400)
    assert store.upkeep.prune()["robots"] == 1
    assert store.robots.get(ORIGIN) is None
    assert store.robots.get("https://other.example") is not None


def test_an_origin_has_a_name_and_a_time_an_end(store: Store):
    with pytest.raises(InputError, match="origin"):
        store.robots.put("", 200, RULES, 60)
    with pytest.raises(InputError, match="ttl_seconds"):
        store.robots.put(ORIGIN, 200, RULES, float("inf"))


def test_one_holder_asks_and_the_others_wait(store: Store, other: Store):
    assert store.robots.claim(ORIGIN, "first", 60)
    assert not other.robots.claim(ORIGIN, "second", 60)
    assert other.robots.claim("https://other.example", "second", 60)
    known = other.robots.get(ORIGIN)
    assert known is None or not known.is_fresh


def test_an_answer_ends_the_claim_and_is_not_asked_for_again(
    store: Store, other: Store, clock: Clock
):
    assert store.robots.claim(ORIGIN, "first", 3_600)
    store.robots.put(ORIGIN, 200, RULES, 60)
    assert not other.robots.claim(ORIGIN, "second", 60)
    assert other.robots.get(ORIGIN).is_fresh
    clock.advance(61)
    assert other.robots.claim(ORIGIN, "second", 60)
    known = store.robots.get(ORIGIN)
    assert (known.status, known.body, known.is_fresh) == (200, RULES, False)


def test_a_claim_of_one_who_died_is_taken_over_after_its_time(
    store: Store, other: Store, clock: Clock
):
    assert store.robots.claim(ORIGIN, "first", 45)
    clock.advance(40)
    assert not other.robots.claim(ORIGIN, "second", 45)
    clock.advance(10)
    assert other.robots.claim(ORIGIN, "second", 45)
    assert not store.robots.claim(ORIGIN, "first", 45)


def test_a_claim_is_released_by_its_holder_alone(store: Store, other: Store):
    assert store.robots.claim(ORIGIN, "first", 60)
    other.robots.release(ORIGIN, "second")
    assert not other.robots.claim(ORIGIN, "second", 60)
    store.robots.release(ORIGIN, "first")
    assert other.robots.claim(ORIGIN, "second", 60)


def test_of_many_at_once_one_gets_the_claim(store: Store):
    def claim(mine: Store, worker: int) -> list[str]:
        origins = [f"https://{number}.example" for number in range(20)]
        return [one for one in origins if mine.robots.claim(one, str(worker), 60)]

    got = together(store, claim)
    assert len(got) == len(set(got)) == 20


def test_a_claim_needs_an_origin_and_an_end(store: Store):
    with pytest.raises(InputError, match="origin"):
        store.robots.claim("", "first", 60)
    with pytest.raises(InputError, match="seconds"):
        store.robots.claim(ORIGIN, "first", float("inf"))
