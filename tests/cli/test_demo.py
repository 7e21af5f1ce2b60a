import json
import os
import pty
import shlex
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from swather.runs.words import count
from tests.cli.conftest import PROGRAM, Swather
from tests.testing.web import asked_for

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def in_this_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the demo leaves its files."""
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def test_a_killed_worker_loses_nothing(started: Swather, url: str):
    said = started("demo", "--json", "--books", "150", "--db", url)
    data = said.data
    assert said.code == 0, said.err
    assert data["adds_up"] is True
    assert data["state"] == "finished"
    assert data["counts"]["completed"] + data["counts"]["failed"] == data["pages"]
    assert (data["items"], data["doubled"], data["missing"], data["unknown"]) == (142, 0, 0, 0)
    assert [(group["tasks"], group["title"]) for group in data["groups"]] == [
        (8, "HTTP 404 from …")
    ]
    assert data["given_back"] == data["finished_by_others"] > 0
    assert data["requests"] == data["pages"] + data["counts"]["retries"] + data["repeated"]
    assert f"killing {data['killed_worker']} with SIGKILL" in said.err
    assert f"it had {count(data['given_back'], 'target')}, given back" in said.err
    lines = Path(data["results"]).read_text().splitlines()
    assert set(json.loads(lines[0])) == {"title", "category", "price", "url"}


def test_a_countrys_price_pages_are_scraped_and_compared(started: Swather, url: str):
    said = started("demo", "--site", "india", "--json", "--books", "100", "--db", url)
    data = said.data
    assert said.code == 0, said.err
    assert (data["adds_up"], data["items"], data["expected"]) == (True, 100, 100)
    assert (data["doubled"], data["missing"], data["wrong"]) == (0, 0, [])
    assert data["counts"]["failed"] == 0
    assert "100 products of india are at http://127.0.0.1:" in said.err


def test_prices_are_shown_as_the_page_has_them(started: Swather):
    said = started("demo", "--site", "netherlands", "--books", "100", "--workers", "2")
    assert said.code == 0, said.err
    assert "Every product was found once" in said.out
    assert "€ " in said.out
    assert " EUR" in said.out


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--site", "mars"], "expected argentina"), (["--site", "india", "--proxies"], "two demos")],
)
def test_a_site_that_is_not_there_is_told(swather: Swather, options: list[str], said: str):
    told = swather("demo", *options)
    assert told.code == 2
    assert said in told.err


def test_the_commands_it_names_work(started: Swather):
    said = started("demo", "--books", "100", "--workers", "2")
    assert said.code == 0, said.err
    assert "Nothing was lost." in said.out
    assert "\033" not in said.out + said.err
    named = [
        shlex.split(line)[1:] for line in said.out.splitlines() if line.startswith("  swather ")
    ]
    assert [command[0] for command in named] == ["status", "errors", "export"]
    for command in named:
        assert started(*command).code == 0


def test_what_is_lost_does_not_add_up(swather: Swather, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("swather.fleet.processes.sys.executable", "/bin/true")
    said = swather("demo", "--books", "100")
    assert said.code == 1
    assert "This does not add up:" in said.out
    assert "no worker was killed" in said.out


def test_a_terminal_gets_a_live_picture(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, "demo", "--books", "100"], stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    text = read_all(ours)
    assert process.wait(timeout=30) == 0
    assert "━" in text
    assert "\033[" in text
    assert "each" in text


def test_the_shop_alone_is_served_until_ctrl_c(served: "subprocess.Popen[str]"):
    assert served.stderr is not None
    said = served.stderr.readline()
    address = said.split(" at ")[1].split()[0]
    assert "All products" in asked_for(address).text
    served.send_signal(signal.SIGINT)
    assert served.wait(timeout=10) == 0
    assert "served 1 pages" in served.stderr.read()


@pytest.fixture
def served() -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [PROGRAM, "demo", "--serve", "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    with process:
        yield process
        process.kill()


def read_all(terminal: int) -> str:
    said = b""
    while True:
        try:
            said += os.read(terminal, 65_536)
        except OSError:
            os.close(terminal)
            return said.decode()


@pytest.mark.timeout(120)
def test_proxies_that_die_or_are_banned_lose_nothing(started: Swather, url: str):
    said = started("demo", "--proxies", "--json", "--books", "120", "--workers", "2", "--db", url)
    assert said.code == 0, said.err
    data = said.data
    assert data["adds_up"] is True
    assert (data["items"], data["doubled"], data["missing"]) == (112, 0, 0)
    # By the logs of the proxies, of the shop and by the pool.
    assert (data["direct"], data["requests"]) == (0, data["passed"])
    assert data["faults"]["banned"] == data["banned"] + data["blocked_by_shop"]
    assert data["faults"]["proxy"] > 0
    assert data["blacklistings"] > 0
    assert [each["name"] for each in data["proxies"]] == [f"proxy-{n}" for n in range(12)]
    for words in ("3 proxies die", "the shop bans the addresses of 3 others", "  pool: 12 of 12"):
        assert words in said.err
