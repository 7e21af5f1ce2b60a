"""--server: commands say the same through a server as on its database."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import swather.store
from swather import posix
from swather.cli.failure import report
from swather.errors import ServerRefused
from swather.model.history import Measured
from swather.model.lane import PacedKind
from swather.model.pacing import Limits
from swather.model.supervisor import NewSupervisor
from swather.store import Store
from tests.cli.conftest import Result, Swather, done
from tests.store.given import a_run, a_worker, claim, completed, failed, finish

RUN = "20260215_120000-books"
# Of what a command says, what the time that passes between two calls changes.
TIMES = re.compile(r"[\d.]+(e-\d+)?( ?s\b|m \d+s)|_?(seconds|left)\": [\d.]+|elapsed.*")

# Which database or server a suggested command is for.
WHERE = re.compile(r" --(db|server) [^\s\"]+?(?=\.?[\s\"])|, where the server runs")


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    """A run of ten tasks: six completed, two failed, one held, one waiting."""
    opened = swather.store.open(database)
    a_run(opened, 10, name=RUN, scraper="books")
    worker = a_worker(opened, name="barn-0")
    for lease in claim(opened, worker, 6):
        finish(opened, completed(lease, {"title": lease.target}))
    finish(opened, *map(failed, claim(opened, worker, 2)))
    claim(opened, worker, 1)
    opened.supervisors.register(
        NewSupervisor(process=posix.this_process(), name="barn", wanted=3, log_folder="logs")
    )
    opened.lanes.limit("slow.example", Limits(every_seconds=0.5, burst=2, in_flight=4))
    opened.lanes.cool("slow.example", 600, reason="HTTP 429")
    opened.history.note(RUN, Measured(lanes={"slow.example": (80, 10)}, lanes_left_out=1))
    opened.lanes.pause("books", PacedKind.SCRAPER)
    yield opened
    opened.close()


LOOKING = [
    ("status",),
    ("status", "books"),
    ("runs", "ls"),
    ("runs", "ls", "--state", "finished"),
    ("why",),
    ("why", "1"),
    ("errors", RUN),
    ("tasks",),
    ("tasks", "books", "--state", "failed", "--limit", "1"),
    ("tasks", "--state", "leased"),
    ("tasks", "--task", "3", "--task", "9"),
    ("retry", RUN, "--dry-run"),
    ("cancel", RUN, "--dry-run"),
    ("cancel", RUN, "--state", "ready", "--dry-run"),
    ("export", RUN, "-o", "-"),
    ("export", RUN, "-o", "-", "--format", "csv"),
    ("fleet", "status"),
    ("fleet", "status", "--name", "barn"),
    ("runs",),
    ("lanes",),
    ("lanes", "ls", "--scraper"),
    ("lanes", "show", "slow.example"),
    ("lanes", "show", "books", "--scraper"),
]


@pytest.mark.slow
def test_what_is_looked_at_is_the_same(swather: Swather, store: Store, server: str) -> None:
    for command in LOOKING:
        for form in ((), ("--json",)):
            if command[0] == "export" and form:
                continue
            here = done(swather, *command, *form, "--db", store.url)
            there = done(swather, *command, *form, "--server", server)
            assert same(there) == same(here), (*command, *form)


def same(said: Result) -> str:
    """What is left of a text when the passing of time, the way columns are aligned and where the
    commands are typed are not looked at.
    """
    text = WHERE.sub("", TIMES.sub("T", said.out))
    return re.sub(r"[ \n]+", " ", text)


@pytest.mark.slow
def test_what_is_changed_is_changed_there(swather: Swather, store: Store, server: str) -> None:
    def there(*command: str) -> str:
        return done(swather, *command, "--server", server).out

    assert there("pause", "books") == f"run {RUN} is paused\n"
    assert store.runs.get(RUN).paused
    assert there("unpause", "books") == f"run {RUN} is unpaused\n"
    assert there("pause", "--lane", "example.com") == "lane example.com is paused\n"
    assert there("pause", "--worker", "barn-0") == "worker barn-0 is paused\n"
    assert there("retry", RUN) == f"run {RUN}: 2 tasks ready again\n"
    assert there("fleet", "scale", "5") == "fleet barn: 5 workers wanted instead of 3\n"
    assert store.supervisors.find()[0].wanted == 5
    there("export", RUN, "-o", "items.jsonl")
    assert len(Path("items.jsonl").read_text().splitlines()) == 6
    assert there("cancel", RUN) == f"run {RUN}: 4 tasks cancelled and the run ended\n"


@pytest.mark.slow
def test_lanes_are_changed_there(swather: Swather, store: Store, server: str) -> None:
    def there(*command: str) -> str:
        return done(swather, "lanes", *command, "--server", server).out

    assert there("set", "http://a.example/x", "--rate", "2/s", "--in-flight", "4") == (
        "lane a.example: 2/s, at most 4 in flight\n"
    )
    assert store.lanes.get("a.example").limits == Limits(every_seconds=0.5, in_flight=4)
    assert there("pause", "books", "--scraper") == "scraper books is paused\n"
    assert there("unpause", "books", "--scraper") == "scraper books is unpaused\n"
    assert there("cool", "a.example", "--for", "1h").startswith("lane a.example is cooling until ")
    assert store.lanes.get("a.example").cool_until is not None
    assert there("clear", "a.example") == "lane a.example is cleared\n"
    assert store.lanes.get("a.example").limits == Limits()
    said = swather("lanes", "clear", "a.example", "--dry-run", "--server", server)
    assert (said.code, "leave --server out" in said.err) == (2, True)
    said = swather("lanes", "set", "a.example", "--rate", "fast", "--server", server)
    assert (said.code, "a rate looks like" in said.err) == (2, True)


@pytest.mark.slow
def test_targets_are_added_there(swather: Swather, store: Store, server: str) -> None:
    Path("books.py").write_text(
        "from swather import scraper\n\n@scraper\ndef words(ctx, word): ...\n"
    )
    Path("swather.toml").write_text('[scrapers.words]\npath = "books.py"\n')
    Path("more.txt").write_text("two\nthree\n")
    command = ("enqueue", "words", "--server", server)
    first = done(swather, *command, "one", "--json").data
    assert (first["enqueued"], store.runs.counts(first["run"]).total) == (1, 1)
    more = done(swather, *command, "one", "--targets", "more.txt", "--json").data
    assert more == {"run": first["run"], "enqueued": 2}
    assert done(swather, *command, "four", "--resume", first["run"]).out == (
        f"Run {first['run']}: 1 target added\n"
    )
    assert done(swather, *command, "one", "--new", "--json").data["run"] != first["run"]
    said = swather(*command, "five", "-p", "a=1")
    assert (said.code, "is there already" in said.err) == (2, True)


@pytest.mark.slow
def test_a_registered_scraper_is_started_there(
    swather: Swather, store: Store, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("books.py").write_text(
        "from swather import scraper\n\n@scraper\ndef words(ctx, word, most: int = 1): ...\n"
    )
    Path("swather.toml").write_text('[scrapers.words]\npath = "books.py"\n')
    Path("more.csv").write_text("word,rank\nthree,1\nfour,2\none,3\n")
    options = ("--targets", "more.csv", "--column", "word", "--priority-column", "rank")
    command = ("start", "words", "one", "two", *options, "-p", "most=3", "--server", server)
    started = done(swather, *command, "--json").data
    assert started["enqueued"] == 4
    run = store.runs.get(started["run"])
    assert (run.params["most"], run.keep_open) == (3, False)
    assert "Run " in done(swather, "start", "words", "one", "--server", server).out
    said = swather("start", "words", "one", "--concurrency", "3", "--server", server)
    assert (said.code, "--concurrency cannot go to a server" in said.err) == (2, True)


@pytest.mark.slow
def test_what_is_wrong_is_told_as_ever(
    swather: Swather, store: Store, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = swather("why", "nowhere", "--server", server)
    assert (said.code, said.out, "nowhere" in said.err) == (2, "", True)
    said = swather("status", "--server", server, "--db", store.url)
    assert (said.code, "exclude each other" in said.err) == (2, True)
    said = swather("db", "stats", "--server", server)
    assert (said.code, "`swather db stats` works on a database" in said.err) == (2, True)
    said = swather("status", "--server", "http://127.0.0.1:1")
    assert (said.code, "does not answer" in said.err) == (3, True)
    # What a command names goes before what the environment does.
    monkeypatch.setenv("SWATHER_SERVER", "http://127.0.0.1:1")
    assert RUN in done(swather, "runs", "ls", "--db", store.url).out
    monkeypatch.setenv("SWATHER_SERVER", server)
    assert RUN in done(swather, "runs", "ls").out
    monkeypatch.delenv("SWATHER_API_TOKEN")
    said = swather("status")
    assert (said.code, "SWATHER_API_TOKEN" in said.err) == (2, True)


@pytest.mark.slow
def test_what_is_suggested_asks_the_same_server(
    swather: Swather, store: Store, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def there(*command: str) -> str:
        return done(swather, *command, "--server", server).out

    unpause = f"swather lanes unpause books --scraper --server {server}"
    assert f"    {unpause}\n" in there("lanes", "show", "books", "--scraper")
    reasons = done(swather, "why", "--json", "--server", server).data["reasons"]
    (paused,) = [each for each in reasons if each["code"] == "scraper_paused"]
    assert paused["command"] == unpause
    overview = done(swather, "status", "--json", "--server", server).data["runs"][0]
    assert paused["command"] in [each["command"] for each in overview["reasons"]]
    store.lanes.unpause("books", PacedKind.SCRAPER)
    # A worker needs the database, which only the server has.
    (worker,) = store.workers.find()
    store.workers.retire(worker.id)
    said = there("why", RUN)
    assert "(SCRAPER is the file or module of 'books'), where the server runs:\n" in said
    assert f"swather worker SCRAPER --run {RUN} --db " in said
    monkeypatch.setenv("SWATHER_SERVER", server)
    store.runs.pause(RUN)
    assert f"    swather unpause {RUN}\n" in done(swather, "why", RUN).out


@pytest.mark.slow
def test_an_open_breaker_names_both_of_its_commands_for_the_server(
    swather: Swather, store: Store, server: str
) -> None:
    a_run(store, 3, name="one", scraper="shops", lane="shop.example")
    store.breakers.trip("shops", "shop.example", seen={"failed": 9, "of": 9}, probe_seconds=60.0)
    said = done(swather, "why", "one", "--server", server).out
    assert f"To see the errors: swather errors shops --server {server}. To close it now:\n" in said
    assert f"    swather lanes unpause shop.example --server {server}\n" in said


@pytest.mark.slow
def test_limits_set_there_tell_what_else_applies(
    swather: Swather, store: Store, server: str
) -> None:
    def noted(*command: str) -> str:
        return done(swather, "lanes", *command, "--server", server).err

    store.lanes.set_crawl_delay("slow.example", 10.0)
    assert "asks for a Crawl-delay of 10s, which always applies" in (
        noted("set", "slow.example", "--rate", "20/s")
    )
    mistyped = "note: nothing has used lane 'slow.exampel'; did you mean 'slow.example'?\n"
    said = noted("set", "slow.exampel", "--rate", "2/s", "--override")
    assert said.startswith(mistyped)
    assert said.endswith(
        f"to end it: swather lanes set slow.exampel --no-override --server {server}\n"
    )
    for command in (("show",), ("cool", "--for", "1s"), ("clear",), ("pause",)):
        name = f"{command[0]}.slow.exampl"
        said = noted(command[0], name, *command[1:])
        assert said.startswith(f"note: nothing has used lane '{name}'; did you mean ")


def test_what_a_server_refuses_comes_with_the_command_to_type_here(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def told(detail: str, command: str) -> str:
        refused = ServerRefused(409, detail, command, "https://barn.example")
        assert report(refused, as_json=False) == 2
        return capsys.readouterr().err

    assert told(
        "it is still open; cancel it first", "swather cancel words --db sqlite:///q.db"
    ) == (
        "error: it is still open; cancel it first: swather cancel words --server "
        "https://barn.example\n"
    )
    assert told("no fleet is up", "swather fleet up --workers 3 --db sqlite:///q.db") == (
        "error: no fleet is up; where the server runs: swather fleet up --workers 3 --db "
        "sqlite:///q.db\n"
    )


@pytest.mark.slow
def test_no_command_takes_the_database_here_for_that_of_the_server(
    swather: Swather, store: Store, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    done(swather, "db", "init")
    monkeypatch.setenv("SWATHER_SERVER", server)
    for command in (
        ("settings", "set", "concurrency", "50"),
        ("settings", "unset", "concurrency"),
        ("schedules", "add", "books", "0 2 * * *"),
        ("schedules", "fire", "books"),
        ("runs", "rm", RUN),
        ("runs", "prune", "--older-than", "1d"),
        ("proxies", "rm", "--all"),
        ("notices", "retry"),
        ("sources", "reset", "flickr"),
        ("fleet", "down"),
        ("db", "init"),
        ("db", "migrate"),
    ):
        said = swather(*command)
        assert (said.code, said.out) == (2, ""), command
        assert said.err == (
            f"error: `swather {' '.join(command[:2])}` changes a database, and SWATHER_SERVER "
            "names a server: name the database with --db, or unset SWATHER_SERVER\n"
        )
    for command in (
        ("settings",),
        ("settings", "ls"),
        ("schedules",),
        ("db", "stats"),
        ("sources",),
    ):
        path = " ".join(command) + (" ls" if command == ("sources",) else "")
        noted = (
            f"note: `swather {path}` works on the database swather.db, and not on the server that "
            "SWATHER_SERVER names\n"
        )
        assert done(swather, *command).err == noted
        assert done(swather, *command, "--db", "swather.db").err == ""
    set_here = ("settings", "set", "concurrency", "50")
    assert done(swather, *set_here, "--db", "swather.db").err == ""
    monkeypatch.setenv("SWATHER_DB", store.url)
    assert "and not on the server" in done(swather, *set_here).err
    assert store.settings.all() == {"concurrency": 50}
    assert done(swather, "runs").err == ""
