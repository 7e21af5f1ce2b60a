"""Daemons of our own in a real Tor network, on loopback."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from swather.net.egress_policy import TorPolicy
from swather.net.errors import ConnectionFailed, FetchTimeout
from swather.net.fetcher import WebFetcher
from swather.net.request import Request
from swather.net.tor.circuits import Circuits
from swather.net.tor.own_tor import OwnTor
from swather.net.tor.process import TorFailed
from swather.net.tor.tor import GivenTor, Tor
from tests.tor_network import EXITS, SERVICE_PORT, TorNetwork
from tests.tor_site import TorSite, tor_site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

PATIENCE_SECONDS = 90.0


class Client:
    """Requests by circuits of one or more daemons, on a loop of its own."""

    def __init__(self, network: TorNetwork, site: TorSite) -> None:
        self._policy = TorPolicy(config=Path(network.config), bootstrap_seconds=60)
        self._site = site
        self._runner = asyncio.Runner()
        self._fetcher = self.run(_made(WebFetcher))
        self._tors: list[Tor] = []
        self.circuits = Circuits()

    def tor(self, country: str = "") -> OwnTor:
        return self.uses(lambda: OwnTor(self._policy, country))

    def uses(self, new: Callable[[], Any]) -> Any:
        tor = self.run(_made(new))
        self._tors.append(tor)
        return tor

    def fetch(self, tor: Tor, purpose: str = "lane") -> str:
        """The exit by which the site was asked. On a busy machine circuits fail or take too long
        to build; then others are tried, as a worker does.
        """
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            with suppress(ConnectionFailed, FetchTimeout):
                return self.ask(tor, f"{self._site.url}/", purpose)
            self.circuits.forget(purpose)
            self.run(asyncio.sleep(0.5))
        return self.ask(tor, f"{self._site.url}/", purpose)

    def ask(self, tor: Tor, url: str, purpose: str = "lane") -> str:
        async def fetch() -> str:
            egress = self.circuits.egress(await tor.wait(PATIENCE_SECONDS), purpose)
            return (await self._fetcher.fetch(Request(url=url, egress=egress))).text

        return self.run(fetch())

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return self._runner.run(coroutine)

    def run_until(self, true: Callable[[], Any]) -> None:
        async def wait() -> None:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not true():  # noqa: ASYNC110 - it is not ours to signal
                    await asyncio.sleep(0.02)

        self.run(wait())

    def close(self) -> None:
        self.run(self._fetcher.close())
        for tor in self._tors:
            self.run(tor.close())
        self._runner.close()


async def _made(new: Callable[[], Any]) -> Any:
    return new()


@contextmanager
def client_of(network: TorNetwork, site: TorSite) -> Iterator[Client]:
    client = Client(network, site)
    try:
        yield client
    finally:
        client.close()


@pytest.fixture
def client(tor_net: TorNetwork, site: TorSite) -> Iterator[Client]:
    with client_of(tor_net, site) as opened:
        yield opened


def test_two_daemons_at_once_have_their_own_ports_and_circuits(
    tor_net: TorNetwork, site: TorSite, temporary: Path
):
    with client_of(tor_net, site) as client:
        first, second = client.tor(), client.tor()
        client.run(_both(first.wait(PATIENCE_SECONDS), second.wait(PATIENCE_SECONDS)))
        assert first.socks != second.socks
        pids = [first.pid, second.pid]
        exits = [client.fetch(first, f"lane {number}") for number in range(12)]
        # Four exits by chance: all circuits have one and the same once in four million times.
        assert len(set(exits)) > 1
        again = [client.fetch(first, f"lane {number}") for number in range(12)]
        assert again == exits, "a lane keeps its circuit"
        assert client.fetch(second) in EXITS
        assert "" not in site.exits("/"), "nothing came directly"
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert list(temporary.glob("swather-*-tor/*")) == []


async def _both(*waiting: Coroutine[Any, Any, Any]) -> None:
    await asyncio.gather(*waiting)


def test_a_new_identity_changes_the_exit(client: Client):
    tor = client.tor()
    exits = [client.fetch(tor)]
    while len(set(exits)) == 1 and len(exits) < 20:
        client.circuits.forget("lane")
        client.run(tor.new_identity())
        exits.append(client.fetch(tor))
    assert len(set(exits)) > 1


def test_requests_leave_in_the_country_that_was_asked_for(client: Client):
    tor = client.tor("nl")
    exits = {client.fetch(tor, f"lane {number}") for number in range(5)}
    assert {EXITS[name] for name in exits} == {"nl"}


def test_a_country_without_exits_is_named_with_those_that_have_some(client: Client):
    tor = client.tor("is")
    with pytest.raises(TorFailed):
        client.run(tor.wait(0))
    client.run_until(lambda: "no exit" in tor.trouble)
    assert tor.trouble.startswith("Tor has no exit in 'is' now; most are in de 2, ")
    assert tor.socks is None


def test_a_daemon_that_dies_is_replaced(client: Client):
    tor = client.tor()
    client.fetch(tor)
    died = tor.pid
    os.kill(died, signal.SIGKILL)
    client.run_until(lambda: tor.pid not in {died, None})
    assert client.fetch(tor) in EXITS


def test_a_site_that_is_not_there_is_not_the_daemons_fault(client: Client):
    tor = client.tor()
    for url in ("http://site.example:1/", f"http://{'a' * 56}.onion/"):
        with pytest.raises(ConnectionFailed, match=f"Tor could not connect to {url}"):
            client.ask(tor, url)
    assert client.fetch(tor) in EXITS


def test_an_onion_address_is_reached(tor_net_alone: TorNetwork):
    address = (tor_net_alone.service, SERVICE_PORT)
    with tor_site(tor_net_alone, address) as site, client_of(tor_net_alone, site) as client:
        tor = client.tor()
        for attempt in range(20):  # until the service has told the network where it is
            with suppress(ConnectionFailed, FetchTimeout):
                client.ask(tor, f"http://{tor_net_alone.onion}/hidden", f"lane {attempt}")
                break
        assert [path for _, path in site.log] == ["/hidden"]


def test_a_daemon_that_runs_already_is_used_by_its_socks_port(client: Client):
    running = client.tor()
    socks = client.run(running.wait(PATIENCE_SECONDS))
    given = client.uses(lambda: GivenTor(socks))
    assert len({client.fetch(given, f"lane {number}") for number in range(12)}) > 1
    client.run(running.close())
    given.suspect()
    with pytest.raises(TorFailed, match=r"tor_socks 127\.0\.0\.1:\d+ cannot be reached"):
        client.fetch(given)
