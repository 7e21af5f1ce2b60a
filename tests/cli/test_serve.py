"""`swather serve`: what it prints works, who it lets in, and how it ends."""

import json
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest
from pydantic import SecretStr
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from swather.cli.serving import announce
from swather.settings import Settings
from swather.web.dashboard import Dashboard
from tests.cli.conftest import Swather
from tests.served import ADMIN, READER, served, serving
from tests.worker.given import wait_until


@pytest.mark.slow
def test_what_it_prints_works_without_a_database_before(tmp_path: Path) -> None:
    with served(tmp_path, "--db", "new.db") as server:
        assert server.err.startswith("Created the database new.db.")
        answer = server.ask("GET", server.link.partition(server.host)[2], token=None)
        assert (answer.status, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"].partition(";")[0]
        assert server.ask("GET", "/", token=None, Cookie=cookie).status == 200
        said = subprocess.run(shlex.split(server.curl), capture_output=True, check=True)
        assert json.loads(said.stdout) == []
        assert server.out.count(ADMIN) == 2
        assert ADMIN not in server.err


def test_what_it_prints_works_with_any_token(
    template_file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    db = f"sqlite:///{shutil.copyfile(template_file, tmp_path / 'queue.db')}"
    token = SecretStr("'\"#&%+/?=$`\\abcdefgh!~;")
    settings = Settings(db=db, api_port=0, api_token=token, api_read_token=SecretStr(READER))
    with Dashboard(settings) as dashboard, dashboard.serving():
        announce(dashboard)
        link, curl = (line.split(None, 1)[1] for line in capfd.readouterr().out.splitlines())
        assert httpx2.get(link, follow_redirects=False).headers["location"] == "/"
        said = subprocess.run(["bash", "-c", curl], capture_output=True, check=True)
    assert json.loads(said.stdout) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once_although_clients_watch(tmp_path: Path, number: int) -> None:
    with served(tmp_path) as server:
        headers = {"Authorization": f"Bearer {READER}"}
        with connect(f"ws://{server.host}/jobs/status", additional_headers=headers) as watching:
            watching.recv(timeout=10)
            began = time.monotonic()
            assert server.stop(number) == 0
            # Less than what a server waits for clients that do not leave.
            assert time.monotonic() - began < 3.0
            # What it was sent before may still be read.
            with suppress(ConnectionClosed):
                while watching.recv(timeout=10):
                    pass


def test_two_servers_share_a_database_but_not_a_port(tmp_path: Path, swather: Swather) -> None:
    with served(tmp_path) as one, served(tmp_path) as other:
        for server in (one, other):
            assert server.ask("GET", "/api/v1/runs").data == []
        port = one.host.rpartition(":")[2]
        said = swather("serve", "--port", port)
        assert (said.code, said.out) == (2, "")
        assert f"port {port} of 127.0.0.1 is taken" in said.err
        assert said.err.count("\n") == 1


@pytest.mark.slow
def test_two_servers_on_one_host_have_fleets_of_different_names(tmp_path: Path) -> None:
    with (
        served(tmp_path, "--workers", "0") as one,
        served(tmp_path, "--workers", "0", "--name", "second") as other,
    ):
        wait_until(lambda: len(other.ask("GET", "/api/v1/fleets").data) == 2)
        names = {fleet["fleet"] for fleet in one.ask("GET", "/api/v1/fleets").data}
        assert names == {socket.gethostname(), "second"}


def test_a_name_without_workers_is_refused(swather: Swather) -> None:
    said = swather("serve", "--name", "second")
    assert (said.code, said.out) == (2, "")
    assert "--workers" in said.err


def test_another_address_needs_a_token(swather: Swather) -> None:
    said = swather("serve", "--host", "::", "--port", "0")
    assert (said.code, said.out) == (2, "")
    for words in ("SWATHER_API_TOKEN", "SWATHER_API_NAMES", "TLS", "docs/guides/serving.md"):
        assert words in said.err
    assert not Path("swather.db").exists()


def test_its_tokens_are_shown_on_request(
    swather: Swather, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    first = swather("serve", "--show-token", "--json").data
    assert set(first) == {"admin", "reader"}
    assert (tmp_path / "swather" / "tokens.json").stat().st_mode & 0o777 == 0o600
    assert swather("serve", "--show-token").out.split()[0] == first["admin"]


@pytest.fixture
def serves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the serving itself."""
    monkeypatch.setenv("SWATHER_API_TOKEN", ADMIN)
    monkeypatch.setenv("SWATHER_API_READ_TOKEN", READER)
    monkeypatch.setattr(Dashboard, "run", lambda _: None)


@pytest.mark.usefixtures("serves_nothing")
def test_programs_are_told_where_it_is(swather: Swather) -> None:
    found = swather("serve", "--port", "0", "--json").data
    assert found["link"] == f"{found['address']}/login?token={ADMIN}"


@pytest.mark.usefixtures("serves_nothing")
def test_it_opens_a_browser_only_on_a_screen(
    swather: Swather, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda link: bool(opened.append(link) or True))
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert "open the link yourself" in swather("serve", "--port", "0", "--open").err
    assert opened == []
    monkeypatch.setenv("DISPLAY", ":0")
    said = swather("serve", "--port", "0", "--open", "--json")
    assert opened == [said.data["link"]]


def test_the_missing_extra_is_named(swather: Swather, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "swather.web.dashboard")
    for name in list(sys.modules):
        if name.startswith(("swather.api.", "swather.web.")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    said = swather("serve", "--port", "0")
    assert (said.code, said.out) == (2, "")
    assert "pip install 'swather[web]'" in said.err


def test_an_address_that_is_not_this_machines_is_refused_in_one_line(
    swather: Swather, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWATHER_API_TOKEN", ADMIN)
    said = swather("serve", "--host", "192.0.2.1", "--port", "0")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "cannot listen on 192.0.2.1:0" in said.err


WAITS = """
import asyncio
from pathlib import Path
from swather import scraper

@scraper
async def waits(ctx, target):
    while not Path("go").exists():
        await asyncio.sleep(0.02)
"""


@pytest.mark.slow
def test_a_run_is_served_while_it_lasts(tmp_path: Path) -> None:
    Path("waits.py").write_text(WAITS)
    command = ("run", "waits.py", "a", "b", "--serve", "--json")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with serving(tmp_path, *command, SWATHER_API_PORT=port) as running:
            # Its own port is taken, so it has another.
            assert not running.host.endswith(f":{port}")

            def processing() -> int:
                found: int = running.ask("GET", "/jobs/queue/stats").data["processing"]
                return found

            wait_until(lambda: processing() == 2, 30.0)
            # A server of its own beside it sees the same.
            with served(tmp_path) as other:
                assert other.ask("GET", "/jobs/queue/stats").data["total"] == 2
            Path("go").touch()
            assert running.process.wait(30) == 0
            assert json.loads(running.out)["counts"]["completed"] == 2
            assert "to see it again: swather serve" in running.err


@pytest.mark.slow
def test_the_demo_is_shown_until_ctrl_c(tmp_path: Path) -> None:
    command = ("demo", "--dashboard", "--books", "100", "--workers", "2", "--json")
    with serving(tmp_path, *command, TMPDIR=str(tmp_path), SWATHER_API_PORT="0") as demo:
        wait_until(lambda: "The dashboard stays up until Ctrl-C: http" in demo.err, 60.0)
        report = json.loads(demo.out)
        assert demo.ask("GET", "/jobs/queue/stats").data["total"] == report["pages"]
        assert demo.stop(signal.SIGINT) == 0
