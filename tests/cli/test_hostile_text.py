"""Text of others steers no terminal: it is shown, by numbers where it must be."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

import swather as public
from swather import Permanent
from tests.cli.conftest import PROGRAM, Swather
from tests.cli.scrapers import write

# Sets the title and rings, clears the screen by C1, deletes, turns the writing around.
STEERING = "\x1b]0;PWNED\x07 \x9b2J \x7f \u202eevil\u202c \u2066x\u2069 \r"
HOSTILE = f"[red]{STEERING}[link=http://evil.example]click[/link] :bomb:"
RAW = ("\x1b]", "\x07", "\x9b", "\x7f", "\u202e", "\u2066", "\r", "\x1b[2J")

SCRAPER = f"""
import sys

from swather import scraper

HOSTILE = {HOSTILE!r}


@scraper(isolation="process", retries=0)
async def isolated(ctx, target):
    print(HOSTILE, flush=True)
    raise OSError(HOSTILE)


@scraper
async def hostile(ctx, target):
    print(HOSTILE, file=sys.stderr)
    ctx.log.warning("%s", HOSTILE)
    if "fail" in target:
        raise OSError(HOSTILE)
    ctx.add(HOSTILE)
    return {{"title": HOSTILE}}
"""

COMMANDS = [
    ("status",), ("status", "books"), ("errors",),
    ("errors", "--tracebacks"), ("tasks",), ("logs",), ("why",), ("why", "1"), ("runs", "ls"),
    ("lanes", "ls"), ("lanes", "show", HOSTILE), ("export", "books", "-o", "x.jsonl"),
    ("retry", "books", "--dry-run"), ("settings", "ls"), ("db", "stats"), ("db", "backup", HOSTILE),
    ("pause", HOSTILE), ("status", HOSTILE), ("logs", HOSTILE), ("db", "stats", "--db", HOSTILE),
    ("try", "hostile.py:hostile", HOSTILE), ("try", "hostile.py:hostile", f"fail {HOSTILE}"),
    ("nonsense" + HOSTILE,),
    ("settings", "set", HOSTILE, "1"), ("scrapers", HOSTILE), ("doctor",),
    ("cancel", "r"), ("status", "r", "--watch"),
]  # fmt: skip


@pytest.fixture
def filled(database: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run all of whose text is hostile."""
    monkeypatch.setenv("SWATHER_DB", database)
    with public.open(database, name=f"worker {HOSTILE}") as queue:
        queue.enqueue("r", [HOSTILE, {"u": HOSTILE}, "c", "d"], scraper="books")
        leases = list(queue.claim(3, run="r"))
        queue.finish(leases[0], error=Permanent(HOSTILE, reason=HOSTILE))
        queue.finish(leases[1], error=HOSTILE)
        queue.finish(leases[2], [{"title": HOSTILE, HOSTILE: 1}], targets=[HOSTILE])
    write(SCRAPER, "hostile.py")
    return database


def assert_visible(text: str) -> None:
    # A terminal driver adds its own CR before LF.
    text = text.replace("\r\n", "\n")
    for raw in RAW:
        assert raw not in text


@pytest.mark.slow
@pytest.mark.parametrize("as_json", [(), ("--json",)], ids=["text", "json"])
def test_no_command_passes_it_on(swather: Swather, filled: str, as_json: tuple[str, ...]):
    for command in COMMANDS:
        said = swather(*command, *as_json)
        assert said.code in (0, 1, 2, 3), command
        assert "Traceback" not in said.err or command[0] == "try", said.err
        assert_visible(said.out + said.err)
        if as_json and said.out:
            by_line = command[0] == "logs" or "--watch" in command
            for text in said.out.splitlines() if by_line else [said.out]:
                json.loads(text)


@pytest.mark.slow
def test_what_it_was_can_be_seen(swather: Swather, filled: str):
    shown = swather("tasks").out.replace("\n", "").replace(" ", "")
    assert r"[red]\x1b]0;PWNED\x07" in shown
    assert r"\x9b2J\x7f\u202eevil\u202c" in shown
    assert "[link=http://evil.example]click[/link]:bomb:" in shown
    assert swather("tasks", "--json").data[0]["target"] == HOSTILE


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("tasks",),
        ("status", HOSTILE),
        ("try", "hostile.py:hostile", HOSTILE),
        ("export", "books", "-o", "-", "--format", "csv"),
    ],
    ids=lambda command: command[0],
)
def test_a_terminal_gets_none_of_it_but_colours_of_our_own(filled: str, tmp_path: Path, command):
    shown = on_a_terminal(tmp_path, *command)
    assert_visible(shown)
    assert "[red]" in shown
    assert ":bomb:" in shown
    assert command[0] == "export" or "\x1b[" in shown


@pytest.mark.slow
def test_log_files_hold_none_of_it(filled: str, swather: Swather):
    for name in ("hostile", "isolated"):
        swather("run", f"hostile.py:{name}", HOSTILE, "-o", f"{name}.jsonl")
    logs = [path.read_text() for path in Path(".swather/logs").rglob("*.log")]
    assert any("PWNED" in log for log in logs)
    assert_visible("".join(logs))


def test_exported_data_is_untouched(swather: Swather, filled: str):
    assert swather("export", "books", "-o", "x.jsonl").code == 0
    assert json.loads(Path("x.jsonl").read_text(encoding="utf-8")) == {"title": HOSTILE, HOSTILE: 1}


def on_a_terminal(folder: Path, *command: str) -> str:
    """What a person's terminal gets."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        [PROGRAM, *command], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment
    ) as process:
        os.close(theirs)
        said = b""
        try:
            while some := os.read(ours, 65_536):
                said += some
        except OSError:
            pass  # Linux says so that the other side is closed
        process.wait(30)
    os.close(ours)
    return said.decode(errors="replace")
