"""The control port, and what its replies mean."""

import asyncio
import hashlib
import hmac
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from swather.net.tor.bootstrap import Bootstrap, parse_bootstrap
from swather.net.tor.control import Control, ControlError, Line
from swather.net.tor.exits import Circuit, Relay, built_circuit, relays_in

COOKIE = bytes(range(32))
ONE, TWO = "1" * 40, "A" * 40


def with_daemon(
    replies: list[str], use: Callable[[Control], Awaitable[Any]]
) -> tuple[Any, list[str]]:
    """What comes of using a daemon that replies so, one by one, and what it was asked."""
    asked = []

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            for text in replies:
                asked.append((await reader.readline()).decode().strip())
                writer.write(text.encode())
            await reader.read()
        writer.close()
        closed.set()

    closed = asyncio.Event()

    async def scene() -> Any:
        async with await asyncio.start_server(reply, "127.0.0.1", 0) as server:
            control = await Control.connect(*server.sockets[0].getsockname()[:2])
            try:
                async with asyncio.timeout(20):
                    return await use(control)
            finally:
                await control.close()
                await closed.wait()

    return asyncio.run(scene()), asked


def test_replies_of_one_line_of_many_and_with_data():
    found, asked = with_daemon(
        ["250-version=0.4.9\r\n250+ns/all=\r\nr one\r\n..dot\r\n.\r\n250 OK\r\n"],
        lambda control: control.get("version", "ns/all"),
    )
    assert found == {"version": "0.4.9", "ns/all": "r one\n.dot"}
    assert asked == ["GETINFO version ns/all"]


def test_events_come_between_replies():
    async def use(control: Control) -> Any:
        lines = await control.ask("SETEVENTS CIRC")
        await control.ask("TAKEOWNERSHIP")
        return lines, control.events.get_nowait()

    replies = ["250 OK\r\n", "650 CIRC 7 LAUNCHED\r\n250 OK\r\n"]
    assert with_daemon(replies, use)[0] == ([Line("250", "OK")], "CIRC 7 LAUNCHED")


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("552 Unrecognized key\r\n", "it refused GETINFO: Unrecognized key"),
        ("HTTP/1.1 400 Bad Request\r\n\r\n", "its control port was closed"),
        ("\xff\xfe" * 10 + "\r\n", "its control port was closed"),
        ("2" * (2 << 20), "its control port was closed"),
    ],
)
def test_a_refusal_and_what_is_no_reply_are_errors(reply: str, said: str):
    async def use(control: Control) -> None:
        with pytest.raises(ControlError, match=said):
            await control.get("version")

    with_daemon([reply], use)


def challenge_of(cookie: bytes) -> Callable[[bytes], str]:
    def answer(ours: bytes) -> str:
        key = b"Tor safe cookie authentication server-to-controller hash"
        proof = hmac.new(key, cookie + ours + bytes(32), hashlib.sha256).hexdigest()
        return f"250 AUTHCHALLENGE SERVERHASH={proof} SERVERNONCE={bytes(32).hex()}\r\n"

    return answer


def test_a_program_that_does_not_know_the_cookie_does_not_learn_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    ours = bytes(range(32, 64))
    monkeypatch.setattr("secrets.token_bytes", lambda _: ours)
    (tmp_path / "cookie").write_bytes(COOKIE)

    async def use(control: Control) -> None:
        await control.authenticate(tmp_path / "cookie")

    _, asked = with_daemon([challenge_of(COOKIE)(ours), "250 OK\r\n"], use)
    key = b"Tor safe cookie authentication controller-to-server hash"
    proof = hmac.new(key, COOKIE + ours + bytes(32), hashlib.sha256).hexdigest()
    assert asked == [f"AUTHCHALLENGE SAFECOOKIE {ours.hex()}", f"AUTHENTICATE {proof}"]
    with pytest.raises(ControlError, match="does not know the cookie"):
        with_daemon([challenge_of(bytes(32))(ours)], use)


@pytest.mark.parametrize(
    ("phase", "said"),
    [
        (
            'NOTICE BOOTSTRAP PROGRESS=45 TAG=x SUMMARY="Asking for relay descriptors"',
            "bootstrapped 45 % (asking for relay descriptors)",
        ),
        (
            'WARN BOOTSTRAP PROGRESS=5 SUMMARY="Connecting to a relay" WARNING="No route" COUNT=5',
            "bootstrapped 5 % (connecting to a relay): No route",
        ),
        ("NOTICE BOOTSTRAP PROGRESS=100 TAG=done SUMMARY=Done", "bootstrapped 100 % (done)"),
        ("", "bootstrapped 0 %"),
    ],
)
def test_how_far_a_daemon_is_in_words(phase: str, said: str):
    found = parse_bootstrap(phase)
    assert str(found) == said
    assert found.is_done == ("100" in phase)
    assert Bootstrap() == parse_bootstrap("PROGRESS=many")


@pytest.mark.parametrize(
    ("line", "circuit"),
    [
        (f"7 BUILT ${ONE}~a,${TWO}~b BUILD_FLAGS=NEED_CAPACITY PURPOSE=GENERAL", ("7", TWO)),
        (f"7 BUILT ${ONE}~a,${TWO}~b BUILD_FLAGS=NEED_UPTIME PURPOSE=CONFLUX_LINKED", ("7", TWO)),
        (f"7 BUILT ${ONE}~a,${TWO} PURPOSE=GENERAL", ("7", TWO)),
        (f"7 EXTENDED ${ONE}~a,${TWO}~b PURPOSE=GENERAL", None),
        (f"7 BUILT ${ONE}~a BUILD_FLAGS=ONEHOP_TUNNEL,IS_INTERNAL PURPOSE=GENERAL", None),
        (f"7 BUILT ${ONE}~a,${TWO}~b PURPOSE=HS_CLIENT_REND HS_STATE=HSCR_JOINED", None),
        ("7 LAUNCHED", None),
        ("7", None),
    ],
)
def test_circuits_that_end_at_an_exit(line: str, circuit: tuple[str, str] | None):
    assert built_circuit(line) == (circuit and Circuit(*circuit))


def test_relays_of_a_consensus_with_and_without_a_digest():
    identity = "ERERERERERERERERERERERERERE"  # 20 bytes of 0x11 in base64, without the last =
    date = "2026-01-01 00:00:00"
    status = (
        f"r one {identity} {date} 192.0.2.1 9001 0\ns Exit Fast Running\nw Bandwidth=1\n"
        f"r two {identity} AAAA {date} 192.0.2.2 443 80\ns BadExit Exit Running\n"
        f"r three {identity} {date} 192.0.2.3 443 0\ns Exit Fast\n"
    )
    assert list(relays_in(status)) == [
        Relay("11" * 20, "192.0.2.1", is_exit=True),
        Relay("11" * 20, "192.0.2.2", is_exit=False),
        Relay("11" * 20, "192.0.2.3", is_exit=False),
    ]
