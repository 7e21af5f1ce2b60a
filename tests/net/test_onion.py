"""Onion addresses and private ones through Tor: decided before anything is sent."""

import asyncio

import pytest

from swather.net.egress import DIRECT, Egress
from swather.net.errors import NeedsTor, Refused, UnusableURL
from swather.net.fetch_policy import ANYWHERE, SimplePolicy
from swather.net.fetcher import WebFetcher
from swather.net.guard import Guard
from swather.net.request import Request

TOR = Egress.through_tor("127.0.0.1:9050", "me")
PROXY = Egress.through("socks5h://127.0.0.1:9050")
ONION = f"{'a' * 56}.onion"


async def nobody(name: str) -> list:
    raise AssertionError(f"{name} was looked up")


def resolved(url: str, *egresses: Egress) -> list[str]:
    """What one guard says of them, one after another."""

    async def scene() -> list[str]:
        guard, said = Guard(nobody), []
        for egress in egresses:
            try:
                sent, _ = guard.known(url, egress) or await guard.resolve(url, egress)
                said.append(sent)
            except Refused as error:
                said.append(type(error).__name__)
        return said

    return asyncio.run(scene())


@pytest.mark.parametrize("host", [ONION, f"www.{ONION}", f"{ONION.upper()}.", f"{ONION}:8080"])
def test_an_onion_address_goes_through_tor_and_no_other_way(host: str):
    asked = (TOR, DIRECT, PROXY, TOR)
    sent, *refused, again = resolved(f"http://{host}/a", *asked)
    assert sent == again == f"http://{host.lower().replace('onion.', 'onion')}/a"
    assert refused == ["NeedsTor", "NeedsTor"]


@pytest.mark.parametrize("name", ["shop", "a" * 16, "a" * 55, "1" * 56])
def test_what_cannot_be_an_onion_address_is_refused(name: str):
    assert resolved(f"http://{name}.onion/", TOR) == [UnusableURL.__name__]


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]",
        "0x7f.1", "2130706433", "017700000001", "localhost", "printer", "nas.local",
    ],
)  # fmt: skip
def test_private_addresses_are_refused_through_tor_whoever_allows_them(host: str):
    async def fetch() -> None:
        fetcher = WebFetcher(resolve=nobody)
        try:
            with pytest.raises(Refused, match="all that Tor reaches"):
                await fetcher.fetch(Request(url=f"http://{host}/", egress=TOR), ANYWHERE)
        finally:
            await fetcher.close()

    asyncio.run(fetch())


def test_the_refusal_says_what_to_do():
    async def fetch() -> None:
        fetcher = WebFetcher(resolve=nobody)
        try:
            with pytest.raises(NeedsTor) as raised:
                await fetcher.fetch(Request(url=f"http://{ONION}/"), SimplePolicy())
        finally:
            await fetcher.close()
        assert str(raised.value) == (
            f"http://{ONION} is an onion address, which only Tor can reach: give the scraper "
            "tor=True"
        )

    asyncio.run(fetch())


def test_names_are_looked_up_by_the_exit_and_nowhere_else():
    assert resolved("http://shop.example/a", TOR) == ["http://shop.example/a"]
    assert TOR.proxy_url.startswith("socks5h://")


def test_neither_the_user_nor_the_port_of_a_circuit_is_shown():
    assert (str(TOR), repr(TOR)) == ("Tor", "Egress(Tor)")
