"""Secrets stay where they are needed: planted all over, and looked for in all that is written."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import apsw
import psycopg
import pytest

from swather.testing.proxies import LocalProxies
from swather.testing.site import Answer, FakeSite
from tests.cli.conftest import Swather
from tests.cli.scrapers import write

# What each would be found by, wherever it should not be.
DATABASE, PROXY, COOKIE, TYPED, HEADER, FORM = (
    f"canary{name}42" for name in ("Database", "Proxy", "Cookie", "Typed", "Header", "Form")
)
CANARY = re.compile("canary[A-Z][a-z]+42")

SCRAPER = """
import os

from swather import Permanent, scraper


@scraper(session="run", store_pages=True, robots=False, retries=0, in_flight=None)
async def secretive(ctx, target):
    headers = {"Authorization": f"Bearer {os.environ['HEADER']}"}
    page = await ctx.get(target["url"], headers=headers)
    ctx.log.warning("fetched %s with %s", target["url"], {"Cookie": os.environ["COOKIE"]})
    match target["do"]:
        case "post":
            await ctx.post(page.url + "in", data={"user": "me", "password": os.environ["FORM"]})
        case "404":
            await ctx.get(target["url"] + "missing")
        case "proxy":
            await ctx.get(target["url"], proxy=f"me:{os.environ['PROXY']}@127.0.0.1:1")
        case "dead proxy":
            try:
                await ctx.get(target["url"], proxy=f"http://me:{os.environ['PROXY']}@127.0.0.1:1")
            except Exception as error:
                raise Permanent(str(error)) from error  # else it is tried ten times
        case "bad url":
            await ctx.get(f"http://u:pa/{os.environ['PROXY']}@h")
        case "raise":
            raise OSError(f"cannot open {target['url']}, password={os.environ['FORM']}")
    return {"title": page.text}


@scraper(isolation="process", retries=0)
async def isolated(ctx, target):
    raise Permanent(f"{os.environ['MINE']} {dict(os.environ)}")
"""
DO = ("post", "404", "proxy", "dead proxy", "bad url", "raise")
LOOKING = [
    ("status",), ("status", "secretive"), ("tasks",), ("tasks", "--state", "failed"), ("errors",),
    ("errors", "--tracebacks"), ("logs",), ("why",), ("why", "2"), ("runs", "ls"), ("lanes", "ls"),
    ("settings", "ls"), ("settings", "get", "db"), ("doctor",), ("db", "stats"), ("db", "check"),
    ("retry", "secretive", "--dry-run"), ("export", "secretive", "-o", "x.csv"),
]  # fmt: skip


@pytest.fixture
def site() -> Iterator[FakeSite]:
    home = Answer("<h1>Hello</h1>", headers={"Set-Cookie": f"session={COOKIE}; Path=/"})
    with FakeSite({"/": home, "/in": Answer("<h1>In</h1>")}) as served:
        yield served


@pytest.fixture
def secret_url(database: str) -> str:
    """The database by a URL with a password in it, where it can have one."""
    if database.startswith("sqlite:"):
        return database
    parts = urlsplit(database)
    user, _, host = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user.partition(':')[0]}:{DATABASE}@{host}").geturl()


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_no_secret_is_written_where_it_is_not_needed(
    swather: Swather, site: FakeSite, secret_url: str, monkeypatch: pytest.MonkeyPatch
):
    given = {"SWATHER_DB": secret_url, "HEADER": HEADER, "COOKIE": COOKIE, "FORM": FORM}
    for name, value in {**given, "PROXY": PROXY, "PGPASSWORD": DATABASE}.items():
        monkeypatch.setenv(name, value)
    write(SCRAPER, "secretive.py")
    typed = site.url.replace("http://", f"http://me:{TYPED}@")
    said = []
    targets = [f'{{"url": "{typed}/", "do": "{do}"}}' for do in DO]
    Path("targets.jsonl").write_text("\n".join(targets))
    said.append(swather("run", "secretive.py:secretive", "--targets", "targets.jsonl", "--verbose"))
    assert said[0].code == 1, said[0].err
    assert " 1 completed, 5 failed" in said[0].out, swather("errors", "--tracebacks").out
    for command in LOOKING:
        said += [swather(*command), swather(*command, "--json")]
        assert said[-1].code == said[-2].code == 0, (command, said[-1].err)
    said.append(swather("db", "backup", "copy"))
    for do in DO:
        target = f'{{"url": "{typed}/", "do": "{do}"}}'
        said += [
            swather("try", "secretive.py:secretive", target),
            swather("try", "secretive.py:secretive", target, "--json"),
        ]
    said.append(swather("db", "stats", "--db", f"postgresql://me:100%{DATABASE}@127.0.0.1:1/x"))
    said.append(swather("run", "secretive.py:secretive", f"http://u:pa/{TYPED}@h", "--limit", "x"))
    shown = "".join(one.out + one.err for one in said)
    assert CANARY.findall(shown) == []
    assert "***" in shown
    assert "HTTP 404" in shown
    assert "OSError" in shown
    # The password was needed, and used.
    assert site.requests["/in"] > 0
    written = [path for path in Path().rglob("*") if path.is_file() and not _holds_targets(path)]
    assert any(path.suffix == ".log" for path in written)
    for path in written:
        assert CANARY.findall(path.read_bytes().decode("latin-1")) == [], path
    # Of the database, targets alone have it: without it no worker could fetch them.
    assert {name for name, text in cells(secret_url) if CANARY.search(text)} == {"tasks.target"}


POOL = "canaryPool42"
PROXIED = """
import os

from swather import Proxies, scraper


@scraper(proxies=True, robots=False, retries=0, timeout=10)
async def proxied(ctx, url):
    page = await ctx.get(url)
    ctx.log.warning("through %r", ctx)
    if url.endswith("raise"):
        raise OSError(f"cannot go on with {page!r}")
    return {"title": page.text}


@scraper(proxies=[os.environ["LISTED"]], robots=False, retries=0)
async def listed(ctx, url):
    return {"title": (await ctx.get(url)).text}
"""
LOOKING_AT_PROXIES = [
    ("proxies",), ("proxies", "ls", "--state", "usable"), ("proxies", "show", "{first}"),
    ("proxies", "test"), ("proxies", "test", "http://shop.example/"),
    ("proxies", "disable", "{dead}"), ("proxies", "enable", "--all"),
    ("proxies", "rm", "--all", "--dry-run"), ("status",), ("status", "proxied"), ("why",),
    ("why", "2"), ("errors", "--tracebacks"), ("logs",), ("tasks",), ("runs", "ls"),
    ("lanes", "ls"), ("settings", "ls"), ("scrapers", "proxied.py:listed"),
    ("scrapers", "proxied.py:proxied"), ("doctor",), ("db", "stats"), ("db", "check"),
    ("proxies", "import", "bad.txt"), ("proxies", "import", "worse.txt"),
    ("proxies", "show", f"me:{POOL}@127.0.0.1:2"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_the_password_of_a_proxy_is_in_one_column_and_nowhere_else(
    swather: Swather, database: str, monkeypatch: pytest.MonkeyPatch
):
    """One proxy of three works, one refuses the password, one is dead."""
    pages = {"/": "<h1>Hello</h1>", "/raise": "<h1>No</h1>"}
    write(PROXIED, "proxied.py")
    with (
        FakeSite(pages) as shop,
        LocalProxies(2, hosts={"shop.example": shop.url}, login=f"me:{POOL}") as proxies,
    ):
        refused = proxies[1].url.replace(POOL, f"x{POOL}")
        dead = f"http://me:{POOL}@127.0.0.1:1"
        for name, value in {"SWATHER_DB": database, "LISTED": proxies[0].url}.items():
            monkeypatch.setenv(name, value)
        Path("proxies.txt").write_text(f"{proxies[0].url}\n{refused}\n{dead}")
        Path("bad.txt").write_text(
            f"127.0.0.1:1\nme {POOL}\nhttp://me:{POOL}/@h:1\nh:1:me {POOL}\n"
        )
        Path("worse.txt").write_text(f"http://me:{POOL}@h:99999\n")
        said = [swather("proxies", "import", "proxies.txt")]
        assert said[0].out == "proxies.txt: 3 added\n"
        ids = {row["url"]: str(row["proxy"]) for row in swather("proxies", "--json").data}
        named = {
            "first": ids[proxies[0].url.replace(f"me:{POOL}", "***")],
            "dead": ids["http://***@127.0.0.1:1"],
        }
        site = "http://shop.example/"
        said.append(swather("run", "proxied.py:proxied", site, f"{site}raise", "--verbose"))
        assert " 1 completed, 1 failed" in said[-1].out, said[-1]
        said.append(swather("run", "proxied.py:listed", site, "--verbose"))
        assert said[-1].code == 0, said[-1].err
        for words in LOOKING_AT_PROXIES:
            command = [word.format(**named) for word in words]
            said += [swather(*command), swather(*command, "--json")]
            assert said[-1].code in {0, 1, 2}, (command, said[-1].err)
        assert "Traceback" not in "".join(one.err for one in said)
        said.append(swather("try", "proxied.py:proxied", f"{site}raise"))
        said.append(swather("try", "proxied.py:listed", site, "--json"))
        said.append(swather("db", "backup", "copy"))
        assert any(passed.verdict == "passed" for passed in proxies[0].log)
        assert any(passed.verdict == "no login" for passed in proxies[1].log)
    shown = "".join(one.out + one.err for one in said)
    assert CANARY.findall(shown) == []
    mine = {"proxied.py", "proxies.txt", "bad.txt", "worse.txt", "copy"}
    written = [path for path in Path().rglob("*") if path.is_file() and path.name not in mine]
    assert any(path.suffix == ".log" for path in written)
    for path in written:
        if "queue.db" not in path.name:
            assert CANARY.findall(path.read_bytes().decode("latin-1")) == [], path
    assert {name for name, text in cells(database) if CANARY.search(text)} == {"proxies.url"}


@pytest.mark.slow
def test_a_child_process_has_the_users_variables_and_not_the_workers(
    swather: Swather, secret_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SWATHER_DB", secret_url)
    monkeypatch.setenv("MINE", "an API key")
    if secret_url.startswith("postgres"):
        monkeypatch.setenv("PGPASSWORD", DATABASE)
    write(SCRAPER, "secretive.py")
    assert swather("run", "secretive.py:isolated", "1").code == 1
    (task,) = swather("tasks", "--json").data
    assert task["error"].startswith("an API key")
    assert "SWATHER_DB" not in task["error"]
    assert "PGPASSWORD" not in task["error"]
    assert "PATH" in task["error"]


@pytest.mark.slow
@pytest.mark.parametrize("variables", [{"SWATHER_DB": "queue.db"}, {"SWATHER_DB": ""}])
def test_a_child_keeps_the_password_of_another_database_than_the_workers(
    swather: Swather, monkeypatch: pytest.MonkeyPatch, variables
):
    for name, value in {**variables, "MINE": "an API key", "PGPASSWORD": "mine too"}.items():
        monkeypatch.setenv(name, value)
    write(SCRAPER, "secretive.py")
    assert swather("run", "secretive.py:isolated", "1", "--db", "queue.db").code == 1
    (task,) = swather("tasks", "--json", "--db", "queue.db").data
    assert "'PGPASSWORD'" in task["error"]


def _holds_targets(path: Path) -> bool:
    """The user's own files, the database itself and its backup."""
    return path.name in {"secretive.py", "targets.jsonl", "copy"} or "queue.db" in path.name


def cells(url: str) -> Iterator[tuple[str, str]]:
    """Every value of every table, by table and column."""
    if url.startswith("sqlite:///"):
        db = apsw.Connection(url.removeprefix("sqlite:///"))
        tables = [
            name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        ]
        for table in tables:
            cursor = db.execute(f"SELECT * FROM {table}")
            for row in cursor:
                names = [name for name, *_ in cursor.description]
                yield from _named(table, names, row)
        db.close()
        return
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'swather'")
        for (table,) in found.fetchall():
            # As text: Python has no infinite time.
            each = f"SELECT e.* FROM swather.{table} t, jsonb_each_text(to_jsonb(t)) e"
            for name, text in connection.execute(each):
                value = bytes.fromhex(text[2:]) if (text or "").startswith("\\x") else text
                yield from _named(table, [name], (value,))


def _named(table: str, names: list[str], row: tuple[object, ...]) -> Iterator[tuple[str, str]]:
    for name, value in zip(names, row, strict=True):
        text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
        yield f"{table}.{name}", text
