"""Programs that are not Tor, or not one that works: what is said, and that nothing is left."""

import asyncio
import re
from pathlib import Path

import pytest

from swather.net.egress_policy import TorPolicy
from swather.net.tor import daemon, own_tor, process
from swather.net.tor import tor as tor_module
from swather.net.tor.own_tor import OwnTor
from swather.net.tor.process import TorFailed
from swather.net.tor.tor import GivenTor, Tor
from tests import debian
from tests.tor_network import PACKAGES

ESCAPES = "#!/bin/sh\nprintf 'x\\033[2J\\377 not a relay\\n'; exit 3\n"
SILENT = "#!/bin/sh\nexec sleep 60\n"
TOO_OLD = """#!/bin/sh
echo '[warn] Unknown option "ClientOnly"'
echo '[err] Reading config failed--see warnings above.'
exit 1
"""
WRONG_PORT = """#!/bin/sh
echo PORT=127.0.0.1:1 > "${2%/torrc}/control-port"
: > "${2%/torrc}/cookie"
exec sleep 60
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_tor, "FIRST_DELAY_SECONDS", 0.01)
    monkeypatch.setattr(daemon, "START_SECONDS", 0.3)


def program(folder: Path, text: str, mode: int = 0o755) -> Path:
    path = folder / "tor"
    path.write_text(text)
    path.chmod(mode)
    return path


async def fails(tor: Tor) -> TorFailed:
    try:
        with pytest.raises(TorFailed) as raised:
            await tor.wait(20)
        assert tor.socks is None
        return raised.value
    finally:
        await tor.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "mode", "said"),
    [
        (
            ESCAPES,
            0o755,
            r"Tor did not start: /.*/tor ended with exit code 3: x\\x1b\[2J\ufffd not a relay$",
        ),
        (
            TOO_OLD,
            0o755,
            r'Tor did not start: /.*/tor ended with exit code 1: Unknown option "ClientOnly"$',
        ),
        (SILENT, 0o755, r"/tor opened no control port within 0 s$"),
        (WRONG_PORT, 0o755, r"cannot be controlled: its control port 127.0.0.1:1 cannot be re"),
        ("\x7fELF nonsense", 0o755, "cannot be started: Exec format error$"),
        (SILENT, 0o644, "the tor_binary .*/tor is not a program$"),
    ],
)
def test_a_program_that_is_not_tor_is_named_with_what_it_said(
    text: str, mode: int, said: str, tmp_path: Path
):
    tor = OwnTor(TorPolicy(binary=program(tmp_path, text, mode)))
    error = asyncio.run(fails(tor))
    assert error.args[0] == tor.trouble
    assert re.search(said, str(error))
    assert list(tmp_path.glob("swather-*-tor/*")) == []


def test_no_tor_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(process, "_DEBIANS", "/nowhere/tor")
    error = asyncio.run(fails(OwnTor(TorPolicy())))
    assert error.is_hopeless
    assert str(error) == "Tor is not installed: run `apt install tor` or set tor_binary"


def test_a_path_that_leads_nowhere_is_not_replaced_by_another_tor(tmp_path: Path):
    error = asyncio.run(fails(OwnTor(TorPolicy(binary=tmp_path / "tor"))))
    assert error.is_hopeless
    assert str(error) == f"the tor_binary {tmp_path}/tor does not exist"


def test_further_options_must_be_in_a_file(tmp_path: Path):
    error = asyncio.run(fails(OwnTor(TorPolicy(config=tmp_path / "torrc"))))
    assert error.is_hopeless
    assert str(error) == f"the tor_config {tmp_path}/torrc is not a file"


def test_a_port_where_nobody_listens_is_not_a_running_daemon():
    error = asyncio.run(fails(GivenTor("127.0.0.1:1")))
    assert str(error) == (
        "tor_socks 127.0.0.1:1 cannot be reached: Connect call failed ('127.0.0.1', 1); "
        "is Tor running there?"
    )


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x05\xff", b""])
def test_a_port_of_another_program_is_not_a_running_daemon(answer: bytes):
    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(3)
        writer.write(answer)
        writer.close()

    async def scene() -> str:
        async with await asyncio.start_server(say, "127.0.0.1", 0) as server:
            place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
            return str(await fails(GivenTor(place))).replace(place, "PLACE")

    assert asyncio.run(scene()) == "tor_socks PLACE is not the SOCKS port of a Tor daemon"


def test_a_running_daemon_that_was_not_there_is_found_when_it_comes(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(tor_module, "LOOK_AGAIN_SECONDS", 0.01)

    async def welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(3)
        writer.write(b"\x05\x02")
        writer.close()

    async def scene() -> None:
        async with await asyncio.start_server(welcome, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
        tor = GivenTor(f"127.0.0.1:{port}")
        with pytest.raises(TorFailed):
            await tor.wait(20)
        assert tor.is_starting
        async with await asyncio.start_server(welcome, "127.0.0.1", port), asyncio.timeout(20):
            while tor.socks is None:  # noqa: ASYNC110 - nobody waits for it
                await asyncio.sleep(0.01)
        assert not tor.is_starting
        assert tor.trouble == ""

    asyncio.run(scene())


@pytest.mark.slow
def test_a_country_needs_the_table_of_countries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    debian.need(PACKAGES)
    monkeypatch.setattr(daemon, "START_SECONDS", 30.0)
    config = tmp_path / "further"
    config.write_text(f"GeoIPFile {tmp_path}/none\nDisableNetwork 1\n")
    error = asyncio.run(fails(OwnTor(TorPolicy(config=config), "de")))
    assert error.is_hopeless
    assert str(error).endswith("needs Tor's table of countries: run `apt install tor-geoipdb`")
    assert list(tmp_path.glob("swather-*-tor/*")) == []


class FakeControl:
    """Of a daemon that knows one relay, in the Netherlands."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[str | None] = asyncio.Queue()
        self.asked: list[str] = []

    async def ask(self, command: str) -> None:
        self.asked.append(command)

    async def get(self, name: str) -> dict[str, str]:
        relay = "r one ERERERERERERERERERERERERERE 2026-01-01 00:00:00 192.0.2.1 9001 0\ns Exit"
        return {name: relay if name.startswith("ns/id/") else "nl"}

    async def close(self) -> None:
        self.events.put_nowait(None)


class FakeProcess:
    pid = 1

    async def end(self) -> None:
        pass


@pytest.mark.parametrize(("country", "closed"), [("nl", []), ("de", ["CLOSECIRCUIT 7"])])
def test_a_circuit_that_leaves_in_another_country_is_closed(country: str, closed: list[str]):
    async def scene() -> list[str]:
        control = FakeControl()
        control.events.put_nowait(f"CIRC 7 BUILT ${'1' * 40}~one PURPOSE=GENERAL")
        running = daemon.Daemon(FakeProcess(), control, country)
        await running.stop()
        return control.asked

    assert asyncio.run(scene()) == ["SETEVENTS CIRC", *closed]
