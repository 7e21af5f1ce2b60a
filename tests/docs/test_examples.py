import io
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from swather.scraping import classify
from swather.settings import Settings
from swather.testing import shop
from swather.testing.directory import directory
from swather.testing.proxies import LocalProxies
from swather.web.dashboard import Dashboard
from tests import forked
from tests.builtin.youtube.lists import Channel
from tests.builtin.youtube.site import YouTube, serving, ytdl_options
from tests.docs.blocks import PAGES, ROOT, Block, blocks_of
from tests.fake_s3 import FakeS3

EXECUTED = ("python", "console")
EXPECTED = re.compile(r"^ *print\(.*\)  # (.+)$", re.MULTILINE)
# `# books.py` on the first line of a block: a file for the commands that follow.
FILES = {
    "python": re.compile(r"# ([\w.]+\.py)\n"),
    # A site file; swather.toml is only shown.
    "toml": re.compile(r"# ((?!swather\.)[\w.]+\.toml)\n"),
}
# What a page needs besides the shop.
STAND_INS = {
    "browsers.md": "chromium",
    "proxies.md": "proxies",
    "shared-files.md": "bucket",
    "subtitles.md": "youtube",
}
# `TOKEN=t0ken swather …`: for that command alone, as in a shell.
VARIABLE = re.compile(r"[A-Z_]+=.*")
# What a supervisor has started is seen a moment later: asked again until it is.
LATER = re.compile(r"swather fleet status")
PATIENCE_SECONDS = 30.0
EXIT_CODE = re.compile(r"  # exit code (\d+)$")
# Where pages say the shop is; while they are tested, another one is in its place.
SHOPS = re.compile(r"https://books\.toscrape\.com|http://127\.0\.0\.1:8008")
# Where pages say a PostgreSQL server is.
DATABASE = "postgresql://me@db.example/queue"
# Where the guide to the API says that its server is.
SERVER = "http://127.0.0.1:8765"
PYTEST = Path(sys.executable).with_name("pytest")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture
def shop_url() -> Iterator[str]:
    with shop() as site:
        yield site.url


@pytest.fixture
def directory_url() -> Iterator[str]:
    """The directory that the guide to listings searches."""
    with directory() as site:
        yield site.url


@pytest.fixture
def youtube(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pages about subtitles speak of YouTube; while they are tested, a stand-in is in its place,
    and nobody waits for the pace that suits the real one.
    """
    cats = [f"cats{number:07}" for number in range(39)]
    ill = ["private0001", "silent00001", "silent00002"]
    site = YouTube({"cats": Channel([*cats, *ill], ["short000001"], ["stream00001"])})
    with serving(site):
        options = [option.replace(",initial_data", "") for option in ytdl_options(site.url)]
        monkeypatch.setenv("SWATHER_PARAMS__SUBTITLES__YTDL", json.dumps(options))
        monkeypatch.chdir(tmp_path)
        for command in ("db init", "lanes set youtube --rate 1000/s --override"):
            assert run_command(f"swather {command}").returncode == 0
        yield


@pytest.fixture
def proxies(tmp_path: Path) -> Iterator[None]:
    """The list that the guide to proxies imports: real ones on loopback."""
    with LocalProxies(3, login="me:secret") as started:
        tags = ("", " tags=home country=de", " weight=2")
        lines = [url + more for url, more in zip(started.urls, tags, strict=True)]
        (tmp_path / "proxies.txt").write_text("\n".join(lines))
        yield


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The server that the guide to files in a bucket speaks of."""
    with FakeS3() as served:
        for name, value in served.environment.items():
            monkeypatch.setenv(name, value)
        yield


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server of a new database, where the guides' scrapers are registered."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "swather.toml").write_text(
        '[scrapers.books]\npath = "books.py"\n[scrapers.words]\npath = "words.py"\n'
    )
    tokens = {"api_token": SecretStr("t" * 20), "api_read_token": SecretStr("r" * 20)}
    with Dashboard(Settings(api_port=0, **tokens)) as dashboard, dashboard.serving():
        monkeypatch.setenv("TOKEN", dashboard.tokens.admin)
        monkeypatch.setenv("SWATHER_API_TOKEN", dashboard.tokens.admin)
        yield dashboard.address


@pytest.fixture
def no_tables(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of an empty PostgreSQL database."""
    with request.getfixturevalue("postgres_server").fresh_database() as address:
        yield address


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if any(block.language in EXECUTED for block in blocks_of(page))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_examples_of_a_page_run_in_order(
    page: Path,
    shop_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SWATHER_DB", raising=False)
    if page.name in STAND_INS:
        request.getfixturevalue(STAND_INS[page.name])
    if page.name == "listings.md":
        shop_url = request.getfixturevalue("directory_url")
    database = request.getfixturevalue("no_tables") if page.name == "distributed.md" else DATABASE
    has_server = page.name in {"api.md", "serving.md"}
    server = request.getfixturevalue("served") if has_server else SERVER
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(classify, "_own_rules", [])
    namespace: dict[str, Any] = {"__name__": "example"}
    for block in blocks_of(page):
        text = SHOPS.sub(shop_url, block.text).replace(DATABASE, database).replace(SERVER, server)
        here = block._replace(text=text)
        if block.language in FILES and (named := FILES[block.language].match(block.text)):
            (tmp_path / named[1]).write_text(here.text)
        elif block.language == "python":
            run_python(page, here, namespace)
        elif block.language == "console":
            run_console(page, here)


def run_python(page: Path, block: Block, namespace: dict[str, Any]) -> None:
    """What `print(…)  # 7` prints must be what its comment says."""
    lines = "\n" * (block.line - 1) + block.text
    with redirect_stdout(io.StringIO()) as said:
        exec(compile(lines, str(page), "exec"), namespace)  # noqa: S102  (our own page)
    assert said.getvalue().splitlines() == EXPECTED.findall(block.text)


def run_console(page: Path, block: Block) -> None:
    """Lines below a command must be among those that stdout or stderr have, in their order; '…' is
    any text.
    """
    shown = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert not shown[0], f"{page}:{block.line}: a console block begins with a command after '$ '"
    for example in shown[1:]:
        command, *lines = example.splitlines()
        wanted = EXIT_CODE.search(command)
        done = run_command(command)
        ends_at = time.monotonic() + PATIENCE_SECONDS
        while not shows_all(done, lines) and LATER.match(command) and time.monotonic() < ends_at:
            done = run_command(command)
        place = f"{page}:{block.line}: {command}\n{done.stdout}{done.stderr}"
        assert done.returncode == int(wanted[1] if wanted else 0), place
        unseen = [done.stdout.splitlines(), done.stderr.splitlines()]
        for line in filter(None, lines):
            assert any(found_in(said, line) for said in unseen), f"{line!r} not in {place}"


def shows_all(done: "subprocess.CompletedProcess[str]", lines: list[str]) -> bool:
    said = [done.stdout.splitlines(), done.stderr.splitlines()]
    return all(any(found_in(one, line) for one in said) for line in filter(None, lines))


def found_in(said: list[str], line: str) -> bool:
    """Look for the line, and forget what was said before it."""
    pattern = re.compile(re.escape(line).replace("…", ".*"))
    for number, one in enumerate(said):
        if pattern.fullmatch(one.rstrip()):
            del said[: number + 1]
            return True
    return False


def run_command(command: str) -> "subprocess.CompletedProcess[str]":
    words = shlex.split(command, comments=True)
    variables = list(takewhile(VARIABLE.fullmatch, words))
    program, *arguments = words[len(variables) :]
    assert program in {"swather", "pytest", "curl"}, f"{program} is not run: {command}"
    environment = {**os.environ, **dict(each.split("=", 1) for each in variables)}
    if program == "swather":
        return forked.run(arguments, cwd=Path.cwd(), env=environment, timeout=120)
    return subprocess.run(
        [PYTEST if program == "pytest" else program, *map(os.path.expandvars, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
