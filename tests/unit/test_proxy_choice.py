from collections import Counter
from random import Random

import pytest

from swather.model.proxy import Proxy
from swather.model.proxy_choice import ProxyChoice, ProxyStrategy, returns_at


def a_proxy(number: int, **fields) -> Proxy:
    return Proxy(id=number, url=f"http://p{number}.example:1", **fields)


FIVE = [a_proxy(number) for number in (2, 3, 5, 8, 13)]


def chosen(strategy: str, usable=FIVE, *, times=20, lane="site", session="", seed=1) -> list[int]:
    choice = ProxyChoice(ProxyStrategy(strategy), Random(seed))
    return [choice.choose(usable, lane, session).id for _ in range(times)]


def test_in_turn_each_is_used_equally_often():
    assert set(Counter(chosen("round_robin")).values()) == {4}


def test_workers_do_not_go_in_step():
    assert len({chosen("round_robin", seed=seed)[0] for seed in range(30)}) > 1


def test_turns_go_on_as_proxies_come_and_go():
    choice = ProxyChoice(ProxyStrategy.ROUND_ROBIN, Random(1))
    last = choice.choose(FIVE, "", "").id
    left = [proxy for proxy in FIVE if proxy.id != last]
    following = [choice.choose(left, "", "").id for _ in range(4)]
    assert sorted(following) == [proxy.id for proxy in left]


def test_chance_goes_by_weight():
    light, heavy = a_proxy(1), a_proxy(2, weight=9.0)
    counts = Counter(chosen("random", [light, heavy], times=1_000))
    assert counts[2] == pytest.approx(900, abs=40)


def test_the_least_used_comes_first_and_what_was_used_since_counts():
    usable = [a_proxy(1, uses=10), a_proxy(2, uses=8), a_proxy(3, uses=9)]
    assert chosen("least_used", usable, times=3) == [2, 2, 3]


@pytest.mark.parametrize("strategy", ["sticky_worker", "sticky_lane", "sticky_session"])
def test_a_sticky_one_is_kept_until_it_is_let_go_or_out(strategy):
    choice = ProxyChoice(ProxyStrategy(strategy), Random(1))

    def choose(usable=FIVE) -> int:
        return choice.choose(usable, "site", "me").id

    first = choose()
    assert {choose() for _ in range(10)} == {first}
    second = choose([proxy for proxy in FIVE if proxy.id != first])
    assert second != first
    assert choose() == second
    choice.let_go(second)
    assert choose() != second


@pytest.mark.parametrize(
    ("strategy", "holders"),
    [("sticky_worker", 1), ("sticky_lane", 3), ("sticky_session", 3)],
)
def test_who_keeps_one_depends_on_the_strategy(strategy, holders):
    choice = ProxyChoice(ProxyStrategy(strategy), Random(1))
    used = {choice.choose(FIVE, name, name).id for name in "abcabc"}
    assert len(used) == holders


@pytest.mark.parametrize(
    ("proxy", "at"),
    [
        (a_proxy(1), None),
        (a_proxy(1, retry_at=5.0), 5.0),
        (a_proxy(1, sites={"site": 7.0, "other": 9.0}), 7.0),
        (a_proxy(1, retry_at=8.0, sites={"site": 7.0}), 8.0),
    ],
)
def test_a_proxy_returns_when_both_it_and_the_site_let_it(proxy, at):
    assert returns_at(proxy, "site") == at
