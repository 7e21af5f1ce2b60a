"""The tasks of a run on pages: found by filter, cancelled and retried by filter."""

import re
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from swather.model.action import Action, ActionState
from swather.model.retry import ErrorClass
from swather.model.task import State, Target
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.web.pages import task_actions
from swather.web.pages import tasks as tasks_page
from tests.api.conftest import READER
from tests.store.given import (
    a_fault,
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    retried,
    states,
    targets,
    until,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

FAILED = frozenset({State.FAILED})
READY = frozenset({State.READY})


def get(client: TestClient, address: str) -> str:
    answer = client.get(address, headers={"accept": "text/html"})
    assert answer.status_code == 200, answer.text
    return answer.text


def shown_tasks(html: str) -> list[int]:
    return [int(number) for number in re.findall(r'name="task" value="(\d+)" data-select', html)]


def all_tasks(store: Store, run: str, **conditions: Any) -> list[int]:
    return [task.id for task in store.tasks.find(TaskFilter(run=run, **conditions))]


def some_work(store: Store) -> str:
    """Ten targets on two lanes: three completed, two failed, one to be retried, one running."""
    run = a_run(store)
    store.tasks.enqueue(run, targets([f"https://one.example/{n}" for n in range(6)], lane="one"))
    store.tasks.enqueue(run, targets([f"https://two.example/{n}" for n in range(4)], lane="two"))
    worker = a_worker(store, name="barn-0")
    for lease in claim(store, worker, 3):
        finish(store, completed(lease, {"a": 1}))
    first, second, third = claim(store, worker, 3)
    finish(store, failed(first, fault=a_fault("no such page", ErrorClass.PERMANENT)))
    finish(store, failed(second, "not_found"))
    finish(store, retried(third, 3_600, a_fault("too slow", ErrorClass.TIMEOUT)))
    claim(store, worker, 1)
    return run


def done(client: TestClient, store: Store, asked: str) -> Action:
    """Press the button of a question, and wait for the end of what it does."""
    form = re.search(r'<form id="confirm"[^>]*action="([^"]+)"', asked)
    assert form
    fields: dict[str, list[str]] = {}
    for name, value in re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', asked):
        fields.setdefault(name, []).append(unescape(value))
    answer = client.post(unescape(form[1]), data=fields)
    assert answer.status_code == 200, answer.text
    number = int(answer.url.path.rpartition("/")[2])
    until(lambda: store.actions.get(number).state is not ActionState.RUNNING)
    action = store.actions.get(number)
    assert action.error == ""
    return action


@pytest.mark.parametrize(
    ("query", "conditions"),
    [
        ("", {}),
        ("?state=failed", {"states": FAILED}),
        ("?state=failed&state=ready", {"states": FAILED | READY}),
        ("?class=timeout", {"error_class": "timeout"}),
        ("?reason=not_found", {"reasons": frozenset({"not_found"})}),
        ("?lane=two", {"lane": "two"}),
        ("?worker=barn-0", {"worker": "barn-0"}),
        ("?text=ONE.example/1", {"text": "one.example/1"}),
        ("?state=ready&lane=two", {"states": READY, "lane": "two"}),
        ("?lane=nowhere", {"lane": "nowhere"}),
    ],
)
def test_a_filter_in_the_address_shows_and_counts_the_tasks_that_match(
    client: TestClient, store: Store, query: str, conditions: dict[str, Any]
):
    run = some_work(store)
    expected = all_tasks(store, run, **conditions)
    html = get(client, f"/runs/{run}/tasks{query}")
    assert shown_tasks(html) == expected[::-1]
    if expected:
        noun = "task matches" if len(expected) == 1 else "tasks match"
        assert f"{len(expected)} {noun}." in html
        assert f"all {len(expected)} that match" in html
    else:
        assert "No task matches" in html


def test_pages_by_key_show_every_task_once(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tasks_page, "PAGE", 3)
    run = some_work(store)
    everything = all_tasks(store, run)
    for order, expected in (("newest", everything[::-1]), ("oldest", everything)):
        address, seen = f"/runs/{run}/tasks?order={order}", []
        while True:
            html = get(client, address)
            seen += shown_tasks(html)
            older = re.search(r'href="([^"]+)" rel="next"', html)
            if older is None:
                break
            address = unescape(older[1])
        assert seen == expected


def test_the_states_above_the_table_are_counted_as_they_are(client: TestClient, store: Store):
    html = get(client, f"/runs/{some_work(store)}/tasks")
    counted = dict(re.findall(r">(\w+) <b>([\d,]+)</b>", html))
    assert counted == {
        "all": "10",
        "scheduled": "1",
        "ready": "3",
        "running": "1",
        "completed": "3",
        "failed": "2",
        "cancelled": "0",
    }


def test_what_would_take_long_to_count_is_counted_at_least(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tasks_page, "PAGE", 2)
    monkeypatch.setattr(tasks_page, "COUNT_SCAN", 4)
    monkeypatch.setattr(task_actions, "SCAN", 5)
    run = some_work(store)
    html = get(client, f"/runs/{run}/tasks?lane=two")
    assert "At least 4 tasks match." in html
    assert "all, at least 4 that match" in html
    asked = get(client, f"/runs/{run}/tasks/confirm?verb=cancel&text=example&which=all")
    assert ">Cancel all that match, at least " in asked
    action = done(client, store, asked)
    assert (action.total, action.done) == (None, 5)


def test_what_is_counted_is_what_is_done_and_can_be_undone(client: TestClient, store: Store):
    run = some_work(store)
    before = states(store, run)
    asked = get(client, f"/runs/{run}/tasks/confirm?verb=cancel&text=example&which=all")
    assert ">Cancel 5 tasks</button>" in asked
    action = done(client, store, asked)
    assert (action.verb, action.subject, action.total, action.done) == ("tasks cancel", run, 5, 5)
    assert action.actor.startswith("admin")
    assert states(store, run) == {"completed": 3, "failed": 2, "cancelled": 5}
    page = get(client, f"/actions/{action.id}")
    assert "whose target has “example”" in page
    undo = re.search(r'href="([^"]+)"[^>]*>Undo', page)
    assert undo
    undone = done(client, store, get(client, unescape(undo[1])))
    assert (undone.verb, undone.done) == ("tasks retry", 5)
    assert before == {"completed": 3, "failed": 2, "scheduled": 1, "leased": 1, "ready": 3}
    assert states(store, run) == {"completed": 3, "failed": 2, "ready": 5}


def test_no_more_tasks_are_changed_than_were_confirmed(client: TestClient, store: Store):
    run = some_work(store)
    asked = get(client, f"/runs/{run}/tasks/confirm?verb=retry&state=failed&which=all")
    assert ">Retry 2 tasks</button>" in asked
    (lease,) = claim(store, a_worker(store), 1)
    finish(store, failed(lease))
    action = done(client, store, asked)
    assert (action.done, action.total) == (2, 2)
    assert states(store, run)["failed"] == 1


def test_tasks_that_changed_after_the_question_are_left_alone_and_counted(
    client: TestClient, store: Store
):
    run = some_work(store)
    asked = get(client, f"/runs/{run}/tasks/confirm?verb=cancel&state=ready&which=all")
    assert ">Cancel 3 tasks</button>" in asked
    (lease,) = claim(store, a_worker(store), 1)
    finish(store, completed(lease))
    action = done(client, store, asked)
    assert (action.done, action.total) == (2, 3)
    assert "the other 1 had changed by then" in get(client, f"/actions/{action.id}")
    assert states(store, run)["completed"] == 4


def test_only_ticked_tasks_are_changed(client: TestClient, store: Store):
    run = some_work(store)
    first, second = all_tasks(store, run, states=FAILED)
    ticked = f"verb=retry&state=failed&task={second}&which=ticked"
    asked = get(client, f"/runs/{run}/tasks/confirm?{ticked}")
    assert ">Retry 1 task</button>" in asked
    done(client, store, asked)
    assert [store.tasks.get(each).state for each in (first, second)] == [State.FAILED, State.READY]


REFUSED = [
    ("GET", "/runs/{run}/tasks?state=lost", 422),
    ("GET", "/runs/{run}/tasks?class=worst", 422),
    ("GET", "/runs/{run}/tasks?after=0", 422),
    ("GET", "/runs/{run}/tasks?after=99999999999999999999", 422),
    ("GET", "/runs/{run}/tasks?lane=a%00b", 422),
    ("GET", "/runs/{run}/tasks?text=a%00b", 422),
    ("GET", "/runs/{run}/tasks?worker=%00", 422),
    ("GET", "/runs/a%00b/tasks", 404),
    ("GET", "/runs/nowhere/tasks", 404),
    ("GET", "/runs/{run}/tasks/confirm?verb=explode", 422),
    ("GET", "/runs/{run}/tasks/confirm?verb=cancel&which=ticked", 422),
    ("GET", "/actions/99", 404),
    ("GET", "/actions/99999999999999999999", 422),
    ("GET", "/audit?before=99999999999999999999", 422),
    ("POST", "/runs/{run}/tasks/act verb=cancel", 422),
    ("POST", "/runs/{run}/tasks/act verb=cancel&confirmed=0", 422),
    ("POST", "/runs/nowhere/tasks/act verb=cancel&confirmed=1", 404),
    ("POST", "/runs/{run}/tasks/act verb=cancel&confirmed=1&task=0", 422),
]


def test_what_makes_no_sense_is_refused_in_words(client: TestClient, store: Store):
    run = some_work(store)
    before = states(store, run)
    got = []
    for method, given, _ in REFUSED:
        address, _, body = given.format(run=run).partition(" ")
        kind = "application/x-www-form-urlencoded"
        headers = {"accept": "text/html", "content-type": kind}
        answer = client.request(method, address, content=body, headers=headers)
        got.append((method, given, answer.status_code))
        assert '<div class="empty">' in answer.text
    assert got == REFUSED
    assert states(store, run) == before
    assert store.actions.find() == []


def test_readers_are_shown_no_buttons_and_change_nothing(sqlite_client: TestClient, sqlite: Store):
    reader, run = sqlite_client, some_work(sqlite)
    reader.headers["authorization"] = f"Bearer {READER}"
    assert '<body class="reader">' in get(reader, f"/runs/{run}/tasks")
    for address in (f"/runs/{run}/tasks/act", "/tasks/1/cancel", "/tasks/1/retry"):
        answer = reader.post(address, data={"verb": "cancel", "confirmed": "all"})
        assert answer.status_code == 403
    assert sqlite.actions.find() == []


HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m' onmouseover=\"alert(2)"


def hostile_work(store: Store) -> str:
    """Three tasks, of which the second fails with ten million characters."""
    run = a_run(store)
    long = "x" * 10_000_000
    store.tasks.enqueue(
        run,
        [
            Target(value=f"https://a.example/{HOSTILE}", lane=HOSTILE),
            Target(value={"title": HOSTILE, "deep": [[[[[[[[[[1]]]]]]]]]]}),
            Target(value="https://user:hidden-canary@b.example/"),
        ],
    )
    first, second, _ = claim(store, a_worker(store, name=HOSTILE), 3)
    finish(store, failed(first, fault=a_fault(HOSTILE + long, traceback=f"{HOSTILE}\n{long}")))
    finish(store, retried(second, 60, a_fault(f"password=hidden-canary {HOSTILE}")))
    return run


def refuse_markup(html: str, most: int) -> None:
    """Values of fields keep their characters: they are sent back as they were."""
    assert "<script>alert" not in html
    assert 'onmouseover="alert' not in html
    outside = re.sub(r' (?:value|href|action|data-live)="[^"]*"', "", html)
    assert "\u202e" not in outside
    assert "\x1b" not in outside
    assert "hidden-canary" not in html
    assert len(html) < most


def test_text_of_others_is_shown_as_text_and_pages_stay_small(client: TestClient, store: Store):
    run, typed = hostile_work(store), quote(HOSTILE)
    number = store.actions.begin(
        actor=HOSTILE,
        verb=HOSTILE,
        subject=HOSTILE,
        detail={"tasks": HOSTILE, "filter": [[HOSTILE, HOSTILE], 3]},
    )
    store.actions.end(number, error=HOSTILE)
    for address in (
        f"/runs/{run}/tasks",
        f"/runs/{run}/tasks?lane={typed}&worker={typed}&text={typed}",
        f"/runs/{run}/tasks/confirm?verb=cancel&text={typed}",
        f"/actions/{number}",
        "/audit",
    ):
        refuse_markup(get(client, address), 30_000)


TWO_TICKS = """(address) => new Promise((resolve) => {
    const source = new EventSource(address);
    let left = 2;
    source.addEventListener("tick", () => { if (--left === 0) { source.close(); resolve(); } });
})"""


@pytest.mark.slow
def test_rows_change_by_themselves_but_not_under_a_selection_or_a_question(
    page: "Page", sqlite: Store
):
    run, worker = a_run(sqlite, 5, lane="one"), a_worker(sqlite)
    page.goto(f"/runs/{run}/tasks")
    (lease,) = claim(sqlite, worker)
    finish(sqlite, completed(lease))
    page.wait_for_selector("#task-rows .chip.s-completed")
    page.locator("input[data-select]").first.check()
    page.wait_for_selector("text=1 ticked")
    sqlite.tasks.enqueue(run, targets(["a", "b", "c"], lane="one"))
    page.wait_for_selector("#task-states :text('all 8')")
    assert page.locator("#task-rows tbody tr").count() == 5
    assert page.locator("input[data-select]").first.is_checked()

    page.check("input[name=which][value=all]")
    page.click("button[value=cancel]")
    page.wait_for_selector("dialog h1:text('Cancel 7 tasks?')")
    (lease,) = claim(sqlite, worker)
    finish(sqlite, completed(lease))
    page.evaluate(TWO_TICKS, page.get_attribute("main", "data-live"))
    assert page.locator("#task-states :text('completed 1')").count() == 1
    page.keyboard.press("Escape")
    page.wait_for_selector("#task-states :text('completed 2')")
    assert states(sqlite, run) == {"completed": 2, "ready": 6}

    page.click("button[value=cancel]")
    page.wait_for_selector("dialog h1:text('Cancel 6 tasks?')")
    (lease,) = claim(sqlite, worker)
    finish(sqlite, completed(lease))
    page.click("dialog button:text('Cancel 6 tasks')")
    page.wait_for_selector("text=5 tasks; the other 1 had changed by then")
    assert states(sqlite, run) == {"completed": 3, "cancelled": 5}

    page.click("text=Undo: retry them…")
    page.click("dialog button:text('Retry 5 tasks')")
    page.wait_for_selector("text=tasks retry")
    page.wait_for_selector("text=Done:")
    assert states(sqlite, run) == {"completed": 3, "ready": 5}
