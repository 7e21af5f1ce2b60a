"""Hooks: from this machine's settings only; commands and webhooks that take a notice or do not."""

import base64
import hashlib
import hmac
import json
import os
import signal
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from swather.errors import BadSetting, HookFailed
from swather.model.notice import TROUBLE, Notice, NoticeKind, Subscription
from swather.runs.command_hook import CommandHook
from swather.runs.notice_hooks import hooks_of
from swather.runs.webhook import Webhook, signature
from swather.scraping.registered import registered
from swather.settings_sources import read
from swather.testing import Answer, FakeSite
from tests.worker.given import wait_until

BOOKS = '[scrapers.books]\npath = "books.py"\n'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def a_notice(**fields: Any) -> Notice:
    given = {
        "id": 7, "uid": "0a1b", "kind": NoticeKind.RUN_ENDED, "scraper": "books", "run": "r1",
        "at": datetime(2026, 6, 1, tzinfo=UTC), "data": {"state": "finished", "completed": 3},
    }  # fmt: skip
    return Notice(**{**given, **fields})


def a_subscription() -> Subscription:
    return Subscription(key="k", words="w", kinds=frozenset(NoticeKind))


def a_command(command: str, seconds: float = 20.0) -> CommandHook:
    return CommandHook(a_subscription(), command, Path.cwd(), seconds)


def a_webhook(url: str, secret: str | None = None) -> Webhook:
    return Webhook(a_subscription(), url, secret, 5.0)


def wanted(toml: str) -> list[tuple[str, set[str], list[str], bool]]:
    Path("swather.toml").write_text(toml)
    hooks = [hook.subscription for hook in hooks_of(read(), registered(), Path.cwd())]
    return [(hook.words, set(hook.kinds), sorted(hook.scrapers), hook.all_others) for hook in hooks]


def test_without_settings_there_are_no_hooks():
    assert wanted("") == []


def test_each_setting_is_a_hook_for_what_it_is_about():
    assert wanted('on_end = "mail me"\non_trouble = "page"\nwebhook = "https://a.example/k"') == [
        ("command mail", {NoticeKind.RUN_ENDED}, [], True),
        ("command page", set(TROUBLE), [], True),
        ("webhook a.example", set(NoticeKind), [], True),
    ]


def test_a_scrapers_own_hook_takes_the_place_of_the_general_one():
    assert wanted(f'on_end = "mail me"\n{BOOKS}on_end = "shout"') == [
        ("command mail", {NoticeKind.RUN_ENDED}, ["books"], True),
        ("command shout", {NoticeKind.RUN_ENDED}, ["books"], False),
    ]


def test_the_environment_goes_before_all_files(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SWATHER_ON_END", "page")
    assert wanted(f'on_end = "mail me"\n{BOOKS}on_end = "shout"') == [
        ("command page", {NoticeKind.RUN_ENDED}, [], True)
    ]


def test_neither_the_key_nor_the_words_of_a_hook_hold_its_secrets():
    Path("swather.toml").write_text(
        'on_end = "TOKEN=hunter2 /usr/bin/mail hunter2"\n'
        'webhook = "https://me:hunter2@a.example/hunter2?k=hunter2"\n'
    )
    for hook in hooks_of(read(), {}, Path.cwd()):
        assert "hunter2" not in hook.subscription.key + hook.subscription.words


@pytest.mark.parametrize("name", ["swather.toml", ".env"])
def test_a_file_that_others_can_write_names_no_command(name: str):
    line = 'on_end = "mail me"' if name == "swather.toml" else "SWATHER_ON_END=mail"
    Path(name).write_text(line)
    Path(name).chmod(0o666)
    with pytest.raises(BadSetting, match="can be written by everyone, so it may not set on_end"):
        hooks_of(read(), {}, Path.cwd())


def test_a_database_cannot_name_a_command():
    resolved = read(row={"on_end": "rm -r /", "webhook": "https://evil.example"})
    assert hooks_of(resolved, {}, Path.cwd()) == []


def test_a_webhook_that_is_no_address_is_refused_without_showing_it():
    Path("swather.toml").write_text('webhook = "htps://a.example/hunter2"')
    with pytest.raises(BadSetting, match="webhook should look like https://") as caught:
        read()
    assert "hunter2" not in str(caught.value)


def test_a_command_gets_the_notice_as_json_and_in_variables():
    a_command('cat > got.json; echo "$SWATHER_NOTICE_KIND $SWATHER_NOTICE_TEXT" > text').deliver(
        a_notice()
    )
    got = json.loads(Path("got.json").read_text())
    assert (got["id"], got["run"], got["data"]["completed"]) == ("0a1b", "r1", 3)
    assert Path("text").read_text() == "run_ended run r1 finished: 3 completed, 0 failed\n"


def test_hostile_text_in_a_notice_is_never_run():
    hostile = "$(touch ran); `touch ran`; \"; touch ran; '"
    a_command('echo "$SWATHER_NOTICE_TEXT" > text').deliver(a_notice(run=hostile))
    assert hostile in Path("text").read_text()
    assert not Path("ran").exists()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("echo no such user >&2; exit 3", "ended with exit code 3: no such user"),
        ("kill -9 $$", "ended with signal 9"),
        ("echo password=hunter2; exit 1", r"exit code 1: password=\*\*\*"),
        ("no-such-program", "exit code 127"),
    ],
)
def test_a_command_that_fails_says_how(command: str, message: str):
    with pytest.raises(HookFailed, match=message):
        a_command(command).deliver(a_notice())


def test_a_command_that_hangs_is_killed_with_all_it_has_started():
    with pytest.raises(HookFailed, match=r"did not end within 0\.3 s and was killed"):
        a_command("sleep 600 & echo $! > pid; wait", 0.3).deliver(a_notice())
    pid = int(Path("pid").read_text())
    wait_until(lambda: not _is_alive(pid))


def test_a_command_that_is_cut_off_is_killed_and_has_not_taken_the_notice():
    hook = a_command("sleep 600 & echo $! > pid; wait")
    cutter = threading.Thread(
        target=lambda: (wait_until(lambda: Path("pid").exists()), hook.cut_off())
    )
    cutter.start()
    with pytest.raises(HookFailed, match="since the process that ran it has ended"):
        hook.deliver(a_notice())
    cutter.join()
    wait_until(lambda: not _is_alive(int(Path("pid").read_text())))


def test_what_a_command_leaves_behind_ends_with_it():
    a_command("sleep 600 & echo $! > pid").deliver(a_notice())
    wait_until(lambda: not _is_alive(int(Path("pid").read_text())))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIG_DFL)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_a_webhook_gets_the_notice_signed_with_its_id_as_the_key():
    asked = []
    with FakeSite({"/hook": lambda request: asked.append(request) or "ok"}) as site:
        a_webhook(f"{site.url}/hook", "s3cret").deliver(a_notice())
    (got,) = asked
    headers = {name.lower(): value for name, value in got.headers.items()}
    assert (got.method, json.loads(got.body)["run"]) == ("POST", "r1")
    assert headers["idempotency-key"] == headers["webhook-id"] == "0a1b"
    signed = f"0a1b.{headers['webhook-timestamp']}.".encode() + got.body
    expected = base64.b64encode(hmac.new(b"s3cret", signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"


def test_a_signature_is_the_one_of_the_standards_own_example():
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105 - everyone knows it
    body = b'{"test": 2432232314}'
    made = signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", body)
    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_without_a_secret_nothing_is_signed():
    asked = []
    with FakeSite({"/": lambda request: asked.append(request) or "ok"}) as site:
        a_webhook(site.url + "/").deliver(a_notice())
    assert "webhook-signature" not in {name.lower() for name in asked[0].headers}


def test_a_receiver_that_refuses_or_redirects_has_not_taken_the_notice():
    routes = {
        "/full": Answer("disk full", 507),
        "/moved": Answer(status=302, headers={"Location": "/ok"}),
        "/ok": "ok",
    }
    with FakeSite(routes) as site:
        with pytest.raises(HookFailed, match="answered with status 507: disk full"):
            a_webhook(f"{site.url}/full").deliver(a_notice())
        with pytest.raises(HookFailed, match="answered with status 302"):
            a_webhook(f"{site.url}/moved?key=hunter2").deliver(a_notice())
        assert site.requests["/ok"] == 0
        gone = site.url
    with pytest.raises(HookFailed, match="cannot be reached") as caught:
        a_webhook(f"{gone}/?key=hunter2").deliver(a_notice())
    assert "hunter2" not in str(caught.value)
