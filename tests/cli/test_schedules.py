"""`swather schedules` and `swather notices`, and hooks of commands that run here."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

import swather.store
from swather import run
from swather.model.notice import NewNotice, NoticeKind, Subscription
from tests.cli.conftest import Swather, done

BOOKS = "from swather import scraper\n\n@scraper\ndef books(ctx, n):\n    return {'n': n}\n"


@pytest.fixture(autouse=True)
def database(swather: Swather) -> None:
    done(swather, "db", "init")


def add(swather: Swather, *more: str) -> str:
    return done(
        swather, "schedules", "add", "books", "0 2 * * *", "https://example.com/", *more
    ).out


def test_a_schedule_is_added_listed_shown_disabled_enabled_and_removed(swather: Swather):
    said = add(swather, "--timezone", "Europe/Berlin", "--overlap", "queue", "-p", "pages=3")
    assert said.startswith("Added books: At 02:00 every day, Europe/Berlin; next 20")
    (listed,) = done(swather, "schedules", "--json").data
    assert (listed["schedule"], listed["scraper"], listed["cron"]) == (
        "books",
        "books",
        "0 2 * * *",
    )
    assert (listed["overlap"], listed["params"]) == ("queue", {"pages": "3"})
    assert "It has not been due yet." in done(swather, "schedules", "show", "books").out
    assert "disabled" in done(swather, "schedules", "disable", "books").out
    assert done(swather, "schedules", "ls", "--json").data[0]["next_at"] is None
    assert "; next 20" in done(swather, "schedules", "enable", "books").out
    done(swather, "schedules", "rm", "books", "--yes")
    assert "there are no schedules; to add one" in done(swather, "schedules").out


def test_a_schedule_is_fired_by_hand(swather: Swather):
    add(swather)
    for _ in range(2):
        assert done(swather, "schedules", "fire", "books").out.startswith("books is due now\n")
    store = swather_store()
    (due,) = store.schedules.due()
    assert store.schedules.fire(due, due.next_at + timedelta(days=1), missed=0)
    assert store.schedules.due() == []
    store.close()
    done(swather, "schedules", "disable", "books")
    said = swather("schedules", "fire", "books")
    assert (said.code, said.err) == (
        2,
        "error: schedule books is disabled; to enable it: swather schedules enable books\n",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("books", "nightly"), "cron 'nightly' has 1 fields, not 5"),
        (("books", "0 2 * * *", "--timezone", "Mars"), "there is no time zone 'Mars'"),
        (("books", "0 2 * * *", "--overlap", "wait"), "one of skip, queue, both, got 'wait'"),
        (("books", "0 2 * * *", "-p", "pages"), "a parameter looks like name=value"),
    ],
)
def test_a_schedule_that_cannot_be_used_is_refused(
    swather: Swather, arguments: tuple[str, ...], message: str
):
    said = swather("schedules", "add", *arguments)
    assert (said.code, message in said.err) == (2, True), said.err


def test_a_name_that_is_taken_or_unknown_is_told(swather: Swather):
    add(swather)
    taken = swather("schedules", "add", "books", "@daily")
    assert (taken.code, "already a schedule named 'books'" in taken.err) == (2, True)
    add(swather, "--name", "other")
    unknown = swather("schedules", "show", "nope")
    assert (unknown.code, "no schedule named 'nope'" in unknown.err) == (2, True)


def test_a_schedule_that_nobody_fires_says_what_to_start(swather: Swather):
    add(swather)
    store = swather_store()
    store.schedules.enable("books", store.schedules.now() - timedelta(minutes=5))
    store.close()
    for command in (["schedules"], ["schedules", "show", "books"]):
        said = done(swather, *command).out
        assert "books has been due for 5m" in said
        assert "swather worker --forever, or swather schedules run" in said


def test_what_its_runs_lack_here_is_noted(swather: Swather):
    said = done(swather, "schedules", "add", "books", "@daily")
    assert "no scraper named 'books' is registered here" in said.err
    Path("books.py").write_text(BOOKS)
    Path("swather.toml").write_text('[scrapers.books]\npath = "books.py"\n')
    said = done(swather, "schedules", "add", "books", "@daily", "--name", "two")
    assert "registered here without targets" in said.err


def test_what_a_database_holds_controls_no_terminal(swather: Swather):
    store = swather_store()
    hostile = "a\x1b[2Jb"
    store.notices.add(NewNotice(kind=NoticeKind.RUN_ENDED, key="1", scraper=hostile, run=hostile))
    store.close()
    done(swather, "schedules", "add", "books", "@daily", hostile, "--name", hostile)
    for command in (["notices"], ["schedules"], ["schedules", "show", hostile]):
        assert "\x1b" not in done(swather, *command).out


def test_a_run_tells_its_own_hook_before_it_returns_with_its_results_complete(swather: Swather):
    Path("books.py").write_text(BOOKS)
    Path("swather.toml").write_text('on_end = "wc -l < books.jsonl > lines; cat > told.json"\n')
    run("books.py", [1, 2, 3], db="swather.db", output="books.jsonl", progress=False)
    assert Path("lines").read_text().strip() == "3"
    assert json.loads(Path("told.json").read_text())["data"]["completed"] == 3
    (notice,) = done(swather, "notices", "--json").data
    assert [each["state"] for each in notice["deliveries"]] == ["delivered"]


def test_a_run_whose_hook_fails_ends_as_without_and_the_failure_is_listed(swather: Swather):
    Path("books.py").write_text(BOOKS)
    Path("swather.toml").write_text('on_end = "echo mailbox full; exit 4"\n')
    run("books.py", [1], db="swather.db", progress=False)
    listed = done(swather, "notices", "ls", "--undelivered").out
    assert "command echo waiting: the command ended with exit code 4: mailbox full" in listed
    assert done(swather, "notices", "retry", "--json").data == {"retried": 1}
    assert "nothing to retry" in done(swather, "notices", "retry", "99").out


def test_settings_do_not_show_the_secrets_of_hooks(swather: Swather):
    Path("swather.toml").write_text(
        'webhook = "https://a.example/hunter2"\nwebhook_secret = "hunter2"\n'
    )
    for arguments in (["settings"], ["settings", "--json"], ["settings", "get", "webhook"]):
        assert "hunter2" not in done(swather, *arguments).out


def test_notices_tell_what_became_of_them(swather: Swather):
    assert "there are no notices" in done(swather, "notices").out
    store = swather_store()
    hook = Subscription(key="k", words="webhook a.example", kinds=frozenset(NoticeKind))
    store.notices.meet(hook)
    store.notices.add(NewNotice(kind=NoticeKind.RUN_ENDED, key="1", scraper="books", run="r"))
    delivery = store.notices.claim(hook, lease_seconds=30)
    store.notices.undelivered(delivery, "a.example answered with status 503", retry_seconds=10)
    store.close()
    assert "webhook a.example waiting: a.example answered" in done(swather, "notices").out


def swather_store() -> swather.store.Store:
    return swather.store.open("sqlite:///swather.db")
