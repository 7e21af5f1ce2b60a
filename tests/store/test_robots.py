from datetime import timedelta

import pytest

from swather.errors import InputError
from swather.store import Store
from swather.store.clock import Clock

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
