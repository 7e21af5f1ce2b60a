"""Tor as an egress source: which circuit a request gets, and when it gets another one."""

import asyncio
from types import SimpleNamespace

import pytest

from swather.errors import InputError, Permanent
from swather.net.egress_policy import TorPolicy
from swather.net.errors import ConnectionFailed, FetchTimeout, ProxyFailed
from swather.net.tor.process import TorFailed
from swather.worker.access.egress_source import NoEgress
from swather.worker.access.tor_source import MAX_BLOCKED, Tors, TorSource


class FakeTor:
    def __init__(self, socks="127.0.0.1:9050", failure=None):
        self.socks = socks
        self.trouble = str(failure or "")
        self.failure = failure
        self.is_starting = socks is None
        self.told = []

    async def wait(self, seconds):
        if self.failure is not None:
            raise self.failure
        return self.socks

    def suspect(self):
        self.told.append("suspect")

    async def new_identity(self):
        self.told.append("new identity")


def asker(run_id=1, lane="a.example", egress=None):
    requester = SimpleNamespace(
        job=SimpleNamespace(run=SimpleNamespace(id=run_id)), lease=SimpleNamespace(lane=lane)
    )
    return SimpleNamespace(requester=requester, egress=egress, failed_keys=())


ME = asker()


def test_a_lane_and_a_session_of_a_run_keep_their_circuit():
    source = TorSource(FakeTor())
    asked = [(ME, "a", ""), (ME, "b", ""), (ME, "a", "s"), (ME, "b", "s"), (asker(2), "a", "")]
    found = [source.choose(*place) for place in asked]
    assert [found.index(egress) for egress in found] == [0, 1, 2, 2, 4]
    assert [source.choose(*place) for place in asked] == found
    assert all(egress.is_tor and not egress.is_direct for egress in found)


def test_a_daemon_that_was_restarted_elsewhere_is_found_there():
    source = TorSource(tor := FakeTor())
    source.choose(ME, "a", "")
    tor.socks = "127.0.0.1:9999"
    assert source.choose(ME, "a", "").proxy_url.endswith("@127.0.0.1:9999")


@pytest.mark.parametrize(
    ("what", "changes"),
    [
        (lambda source, egress: source.blocked(egress, "a", None), True),
        (lambda source, egress: source.failed(egress, "a", ConnectionFailed(""), 1), True),
        (lambda source, egress: source.failed(egress, "a", FetchTimeout(""), 1), True),
        (lambda source, egress: source.answered(egress, "a", 404, 1), False),
    ],
)
def test_after_a_block_or_a_dead_end_the_lane_leaves_by_another_circuit(what, changes):
    source = TorSource(FakeTor())
    first, other = source.choose(ME, "a", ""), source.choose(ME, "b", "")
    what(source, first)
    second = source.choose(ME, "a", "")
    assert (second != first) == changes
    what(source, first)
    assert source.choose(ME, "a", "") == second, "of many that were blocked together, once"
    assert source.choose(ME, "b", "") == other


def test_a_site_that_blocks_circuit_after_circuit_cools_its_lane():
    source = TorSource(FakeTor())

    def block():
        return source.blocked(source.choose(ME, "a", ""), "a", None)

    assert [block() for _ in range(MAX_BLOCKED)] == [True] * (MAX_BLOCKED - 1) + [False]
    assert not source.has_other(ME, "a")
    source.answered(source.choose(ME, "a", ""), "a", 200, 0.1)
    assert source.has_other(ME, "a")
    assert block()


def test_many_requests_by_one_blocked_circuit_are_one_block():
    source = TorSource(FakeTor())
    egress = source.choose(ME, "a", "")
    assert all(source.blocked(egress, "a", None) for _ in range(2 * MAX_BLOCKED))


def test_a_daemon_that_refuses_connections_is_looked_at():
    source = TorSource(tor := FakeTor())
    source.failed(source.choose(ME, "a", ""), "a", ProxyFailed(""), 0.1)
    assert tor.told == ["suspect"]


def test_a_new_identity_is_for_the_lane_of_the_target_and_the_session_of_its_last_request():
    source = TorSource(tor := FakeTor())
    session = source.choose(ME, "a.example", "s")
    own, other = source.choose(ME, "a.example", ""), source.choose(ME, "b.example", "")
    asyncio.run(source.renew(asker(egress=session)))
    assert source.choose(ME, "a.example", "s") != session
    assert source.choose(ME, "a.example", "") != own
    assert source.choose(ME, "b.example", "") == other
    assert tor.told == ["new identity"]


def test_without_tor_there_is_no_egress_and_the_target_comes_again():
    source = TorSource(FakeTor(None, TorFailed("Tor is connecting")))
    assert source.choose(ME, "a", "") is None
    assert source.is_out
    with pytest.raises(NoEgress, match="Tor is connecting"):
        asyncio.run(source.wait(ME, "a", ""))


def test_where_tor_is_not_installed_the_target_fails():
    source = TorSource(FakeTor(None, TorFailed("apt install tor", is_hopeless=True)))
    with pytest.raises(Permanent, match="apt install tor") as raised:
        asyncio.run(source.wait(ME, "a", ""))
    assert raised.value.reason == "no_tor"


def test_a_worker_has_one_daemon_for_each_exit_country():
    tors = Tors(TorPolicy())
    assert tors.of("") is tors.of("")
    assert tors.of("de") is tors.of("de")
    assert tors.of("de") is not tors.of("")


def test_a_daemon_that_already_runs_chooses_its_exits_itself():
    tors = Tors(TorPolicy(socks="127.0.0.1:9050"))
    assert tors.of("") is tors.of("")
    with pytest.raises(InputError, match="tor='de' needs a Tor daemon of the worker's own"):
        tors.of("de")
