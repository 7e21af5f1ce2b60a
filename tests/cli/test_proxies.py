"""`swather proxies`: the pool as people see it, on both databases."""

import os
import pty
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from swather import store as stores
from swather.model.proxy import BlacklistRule, ProxyFault, ProxyReport
from swather.store import Store
from swather.testing.proxies import LocalProxies
from swather.testing.site import Answer, FakeSite
from tests.cli.conftest import PROGRAM, Swather, done
from tests.cli.scrapers import write

LIST = """\
# of a provider
198.51.100.1:3128
198.51.100.2:3128:me:hunter2 tags=home country=de weight=2
socks5h://me:hunter2@198.51.100.3:1080 tags=home,fast
"""
BAD = """\
198.51.100.1:3128
me hunter2
http://me:hunter2@h:99999
"""


@pytest.fixture
def store(database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("SWATHER_DB", database)
    opened = stores.open(database)
    yield opened
    opened.close()


@pytest.fixture
def pool(store: Store, swather: Swather) -> Store:
    Path("proxies.txt").write_text(LIST)
    done(swather, "proxies", "import", "proxies.txt")
    return store


def urls(store: Store) -> list[str]:
    return [proxy.url for proxy in store.proxies.pool().proxies]


def test_without_proxies_it_says_how_to_import_some(swather: Swather, store: Store):
    assert "swather proxies import proxies.txt" in done(swather, "proxies").out
    assert done(swather, "proxies", "--json").data == []
    said = swather("proxies", "test")
    assert said.code == 2
    assert "swather proxies import proxies.txt" in said.err


def test_a_list_is_imported_and_shown_without_passwords(swather: Swather, pool: Store):
    assert urls(pool)[1:] == [
        "http://me:hunter2@198.51.100.2:3128",
        "socks5h://me:hunter2@198.51.100.3:1080",
    ]
    said = done(swather, "proxies").out
    assert "http://***@198.51.100.2:3128" in said
    assert said.endswith("\n3 proxies: 3 usable\n")
    second = done(swather, "proxies", "show", "2", "--json").data
    assert (second["tags"], second["country"], second["weight"]) == (["home"], "de", 2.0)
    assert second["sources"] == [str(Path("proxies.txt").absolute())]
    assert "hunter2" not in said + str(second)


def test_importing_again_replaces_the_list_of_that_source_only(swather: Swather, pool: Store):
    Path("other.txt").write_text("198.51.100.9:1\n")
    assert done(swather, "proxies", "import", "other.txt").out == "other.txt: 1 added\n"
    Path("proxies.txt").write_text("198.51.100.1:3128\n198.51.100.4:3128 country=nl\n")
    said = done(swather, "proxies", "import", "proxies.txt").out
    assert said == "proxies.txt: 1 added, 2 removed, 1 unchanged\n"
    assert [url.rpartition("@")[2] for url in urls(pool)] == [
        "http://198.51.100.1:3128",
        "http://198.51.100.9:1",
        "http://198.51.100.4:3128",
    ]
    Path("proxies.txt").write_text("198.51.100.5:3128\n")
    said = done(swather, "proxies", "import", "proxies.txt", "--add").out
    assert said == "proxies.txt: 1 added\n"
    assert len(urls(pool)) == 4


def test_lists_of_one_source_are_one_list(swather: Swather, store: Store):
    for name, host in (("a.txt", "198.51.100.1"), ("b.txt", "198.51.100.2")):
        Path(name).write_text(f"{host}:1 tags=own\n")
    both = ("proxies", "import", "a.txt", "b.txt", "--source", "provider", "--tag", "new")
    assert done(swather, *both).out == "a.txt, b.txt: 2 added\n"
    listed = done(swather, "proxies", "ls", "--source", "provider", "--json").data
    assert [row["tags"] for row in listed] == [["new", "own"]] * 2


def test_bad_lines_are_named_and_the_others_imported(swather: Swather, store: Store):
    Path("bad.txt").write_text(BAD)
    said = swather("proxies", "import", "bad.txt")
    assert (said.code, said.out) == (1, "bad.txt: 1 added\n")
    assert [line.partition(": ")[0] for line in said.err.splitlines()] == [
        "bad.txt, line 2",
        "bad.txt, line 3",
    ]
    data = swather("proxies", "import", "bad.txt", "--json")
    assert [bad["line"] for bad in data.data[0]["bad_lines"]] == [2, 3]
    assert "hunter2" not in said.err + data.out + data.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty; to remove the proxies of this source: swather proxies rm --source"),
        ("<html>\n<h1>Log in</h1>\n", "has no line that is a proxy; line 1: "),
    ],
)
def test_a_list_without_a_proxy_removes_none(swather: Swather, pool: Store, text, said):
    Path("proxies.txt").write_text(text)
    result = swather("proxies", "import", "proxies.txt")
    assert result.code == 2
    assert said in result.err
    assert len(urls(pool)) == 3


def test_a_list_comes_from_the_web_and_its_url_may_hold_a_key(swather: Swather, store: Store):
    served = {"/canaryKey/list.txt": LIST, "/gone": Answer(status=404)}
    with FakeSite(served) as site:
        listed = f"{site.url}/canaryKey/list.txt"
        assert done(swather, "proxies", "import", listed).out == f"{site.url}: 3 added\n"
        assert done(swather, "proxies", "import", listed).out == f"{site.url}: 3 unchanged\n"
        gone = swather("proxies", "import", f"{site.url}/gone")
    assert gone.code == 2
    assert "HTTP 404" in gone.err
    assert "canaryKey" not in done(swather, "proxies", "--json").out
    said = swather("proxies", "import", listed)
    assert said.code == 2
    assert "cannot be fetched" in said.err


@pytest.mark.slow
def test_stdin_adds(started: Swather, store: Store, database: str):
    for host in ("198.51.100.1", "198.51.100.2"):
        arguments = ("proxies", "import", "-", "--db", database)
        assert started(*arguments, input=f"{host}:1").out == "stdin: 1 added\n"
    assert len(urls(store)) == 2


def test_hostile_text_controls_no_terminal(swather: Swather, pool: Store):
    first = pool.proxies.pool().proxies[0].id
    hostile = "\x1b[31mred\x1b]0;title\x07\nnext http://me:hunter2@h/"
    fault = ProxyReport(first, "shop\x1b[2J.example", faults={ProxyFault.TIMEOUT: 1}, error=hostile)
    pool.proxies.report([fault], BlacklistRule())
    for words in (("ls",), ("show", str(first)), ("ls", "--json"), ("show", str(first), "--json")):
        said = done(swather, "proxies", *words).out
        assert "\x1b" not in said
        assert "\x07" not in said
        assert "hunter2" not in said


@pytest.mark.slow
def test_a_run_says_that_its_pace_is_per_proxy(swather: Swather, pool: Store):
    write(
        "from swather import scraper\n\n\n@scraper(proxies=True)\nasync def p(ctx, url): ...\n",
        "p.py",
    )
    said = done(swather, "run", "p.py", "http://shop.example/").err
    assert "Pace: 5/s per public host and proxy (the default)" in said


FILTERS = [
    (("--tag", "home"), [2, 3]),
    (("--tag", "home", "--tag", "fast"), [3]),
    (("--country", "DE"), [2]),
    (("198.51.100.1",), [1]),
    (("socks5h",), [3]),
    (("--source", "proxies.txt"), [1, 2, 3]),
    (("--source", "other"), []),
    (("--state", "usable"), [1, 2, 3]),
    (("--state", "disabled"), []),
    (("--limit", "2"), [1, 2]),
]


@pytest.mark.slow
def test_a_list_can_be_filtered(swather: Swather, pool: Store):
    first = min(row["proxy"] for row in done(swather, "proxies", "--json").data)
    for filters, found in FILTERS:
        listed = done(swather, "proxies", "ls", *filters, "--json").data
        assert [row["proxy"] - first + 1 for row in listed] == found, filters
        if not found:
            assert "no proxy matches" in done(swather, "proxies", "ls", *filters).out


def test_health_is_shown_as_it_is(swather: Swather, pool: Store):
    first, second, third = (proxy.id for proxy in pool.proxies.pool().proxies)
    rule = BlacklistRule(2, 600)
    banned = ProxyReport(
        second, "shop.example", successes=1, faults={ProxyFault.BANNED: 3}, seconds=0.5, error="403"
    )
    pool.proxies.report(
        [
            ProxyReport(first, "shop.example", successes=9, seconds=1.8, ended_well_last=True),
            ProxyReport(first, "shop.example", faults={ProxyFault.TIMEOUT: 1}, error="too slow"),
            banned,
            ProxyReport(second, "shop.example", faults={ProxyFault.BANNED: 1}, error="403"),
            ProxyReport(third, "shop.example", faults={ProxyFault.PROXY: 2}, error="refused"),
        ],
        rule,
    )
    rows = {row["proxy"]: row for row in done(swather, "proxies", "--json").data}
    assert (rows[first]["requests"], rows[first]["success_rate"]) == (10, 0.9)
    assert rows[first]["faults"] == {"timeout": 1}
    assert rows[first]["latency_seconds"] == pytest.approx(0.2)
    assert (rows[second]["state"], rows[second]["banned_sites"]) == ("usable", 1)
    assert rows[third]["state"] == "blacklisted"
    said = done(swather, "proxies").out
    table = {line.split()[0]: line for line in said.splitlines() if "://" in line}
    assert re.search(r"usable .* 10 +90% +200ms +timeout 1 .* too slow", table[str(first)])
    assert "20%" in table[str(second)]
    assert "1 site" in table[str(second)]
    assert re.search(r"blacklisted for (10m|9m 5\ds) ", table[str(third)])
    assert re.search(r"3 proxies: 2 usable, 1 blacklisted \(it returns in (10m|9m 5\ds)\)", said)
    shown = done(swather, "proxies", "show", str(second)).out
    assert re.search(r"shop.example +blacklisted for \S+( \S+)? +5 +20% +500ms +banned 4", shown)
    (site,) = done(swather, "proxies", "show", str(second), "--json").data["sites"]
    assert (site["site"], site["state"], site["requests"]) == ("shop.example", "blacklisted", 5)


def test_proxies_are_disabled_enabled_and_removed(swather: Swather, pool: Store):
    ids = [proxy.id for proxy in pool.proxies.pool().proxies]
    done(swather, "proxies", "disable", "198.51.100.1:3128", str(ids[1]))
    assert len(urls(pool)) == 1
    assert [row["state"] for row in done(swather, "proxies", "--json").data] == [
        "disabled",
        "disabled",
        "usable",
    ]
    assert done(swather, "proxies", "enable", "--state", "disabled").out.endswith(
        "2 proxies enabled\n"
    )
    said = done(swather, "proxies", "rm", "--tag", "home", "--dry-run").out
    assert "2 proxies would be removed" in said
    assert len(urls(pool)) == 3
    assert "--yes" in swather("proxies", "rm", "--tag", "home").err
    done(swather, "proxies", "rm", "--tag", "home", "--yes")
    assert urls(pool) == ["http://198.51.100.1:3128"]


def test_enabling_takes_off_the_blacklist(swather: Swather, pool: Store):
    first = pool.proxies.pool().proxies[0].id
    dead = ProxyReport(first, "shop.example", faults={ProxyFault.PROXY: 3}, error="refused")
    pool.proxies.report([dead], BlacklistRule(3, 600))
    assert done(swather, "proxies", "show", str(first), "--json").data["state"] == "blacklisted"
    done(swather, "proxies", "enable", str(first))
    assert done(swather, "proxies", "show", str(first), "--json").data["state"] == "usable"


MISTAKES = [
    (("rm",), "say which proxies to remove"),
    (("rm", "1", "--all"), "say which proxies to remove"),
    (("disable", "--tag", "a b"), "tags are up to"),
    (("enable", "--country", "Germany"), "a country has two letters"),
    (("show", "999999"), "there is no proxy 999999"),
    (("show", "me:hunter2@nowhere:1"), "there is no proxy with this address"),
    (("test", "ftp://x"), "only http and https"),
    (("test", "http://x/", "--timeout", "soon"), "--timeout"),
    (("import", "nix.txt"), "cannot read nix.txt: No such file"),
]


def test_mistakes_are_explained(swather: Swather, pool: Store):
    for arguments, said in MISTAKES:
        result = swather("proxies", *arguments)
        assert result.code == 2, result.err
        assert said in result.err
        assert "hunter2" not in result.err
    assert len(urls(pool)) == 3


@pytest.fixture
def alive(store: Store, swather: Swather) -> Iterator[LocalProxies]:
    """Four proxies: the second is dead, the third is banned."""
    with (
        FakeSite({"/": "198.51.100.7"}) as site,
        LocalProxies(4, hosts={"shop.example": site.url}, login="me:hunter2") as proxies,
    ):
        proxies[1].die()
        proxies[2].ban("shop.example", status=403)
        Path("proxies.txt").write_text("\n".join(proxies.urls))
        done(swather, "proxies", "import", "proxies.txt")
        yield proxies


def test_proxies_are_measured_against_a_page(swather: Swather, alive: LocalProxies):
    places = [url.rpartition("@")[2] for url in alive.urls]
    said = swather("proxies", "test", "http://shop.example/")
    assert said.code == 1
    rows = [next(line for line in said.out.splitlines() if place in line) for place in places]
    assert [("ok" in row, "198.51.100.7" in row) for row in rows] == [
        (True, True),
        (False, False),
        (False, False),
        (True, True),
    ]
    assert "the proxy failed: Connection refused" in rows[1]
    assert "HTTP 403" in rows[2]
    assert "2 of 4 proxies work; median latency" in said.out
    assert "hunter2" not in said.out + said.err
    data = swather("proxies", "test", "http://shop.example/", "--json").data
    found = {row["url"].rpartition("@")[2]: (row["ok"], row["status"]) for row in data}
    assert [found[place] for place in places] == [
        (True, 200),
        (False, None),
        (False, 403),
        (True, 200),
    ]
    assert [len(proxy.log) for proxy in alive] == [2, 0, 2, 2]


def test_what_is_measured_is_not_counted(swather: Swather, alive: LocalProxies):
    swather("proxies", "test", "http://shop.example/")
    assert {row["requests"] for row in done(swather, "proxies", "--json").data} == {0}


def test_those_that_fail_can_be_disabled(swather: Swather, alive: LocalProxies, store: Store):
    said = swather("proxies", "test", "http://shop.example/", "--disable-failed")
    assert said.code == 1
    assert "; 2 disabled" in said.out
    assert len(urls(store)) == 2
    assert done(swather, "proxies", "test", "http://shop.example/").code == 0


def test_if_all_fail_none_is_disabled(swather: Swather, alive: LocalProxies, store: Store):
    said = swather("proxies", "test", "http://nowhere.invalid/", "--disable-failed")
    assert said.code == 1
    assert "none was disabled: since all failed" in said.err
    assert len(urls(store)) == 4


def test_without_a_page_it_says_that_it_only_connected(swather: Swather, alive: LocalProxies):
    said = swather("proxies", "test")
    assert said.code == 1
    assert "3 of 4 proxies accept connections" in said.out
    assert "nothing was fetched: name a page of yours" in said.out
    assert sum(len(proxy.log) for proxy in alive) == 0


@pytest.mark.slow
def test_the_live_view_shows_what_changes(pool: Store, database: str):
    """On a terminal, until Ctrl-C."""
    ours, theirs = pty.openpty()
    watching = subprocess.Popen(
        [PROGRAM, "proxies", "ls", "--watch", "--db", database],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(theirs)
    try:
        _read_until(ours, "3 proxies: 3 usable")
        pool.proxies.disable([pool.proxies.pool().proxies[0].id])
        _read_until(ours, "3 proxies: 2 usable, 1 disabled")
        watching.send_signal(signal.SIGINT)
        assert watching.wait(20) == 130
    finally:
        watching.kill()
        watching.wait()
        os.close(ours)


def _read_until(terminal: int, wanted: str) -> None:
    text = ""
    while wanted not in text:
        text += os.read(terminal, 65_536).decode(errors="replace")
