"""Actions: what people did, how far it has come, and what a dead process has left undone."""

import msgspec
import pytest

from swather import posix
from swather.errors import InputError, NotFound
from swather.model.action import Action, ActionState
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.processes import running

DAY = 86_400
ELSEWHERE = msgspec.structs.replace(posix.this_process(), host="barn", boot_id="another machine's")


def an_action(store: Store, verb: str = "cancel", **fields) -> int:
    fields = {"actor": "anna", "subject": "run books", "detail": {}, **fields}
    return store.actions.begin(verb=verb, **fields)


def test_an_action_is_begun_advanced_and_ended(store: Store, other: Store):
    number = an_action(store, detail={"states": ["failed"]}, total=812)
    begun = other.actions.get(number)
    assert (begun.actor, begun.verb, begun.subject) == ("anna", "cancel", "run books")
    assert (begun.detail, begun.total, begun.done) == ({"states": ["failed"]}, 812, 0)
    assert (begun.state, begun.ended_at) == (ActionState.RUNNING, None)
    assert begun.at.utcoffset() is not None
    store.actions.advance(number, 400)
    assert other.actions.get(number).done == 400
    store.actions.end(number, done=811)
    ended = other.actions.get(number)
    assert (ended.state, ended.done, ended.error) == (ActionState.DONE, 811, "")
    assert ended.ended_at >= ended.at


def test_the_first_end_counts(store: Store):
    number = an_action(store)
    store.actions.advance(number, 3)
    store.actions.end(number, error="the database went away")
    store.actions.end(number, done=9)
    store.actions.advance(number, 9)
    action = store.actions.get(number)
    assert (action.state, action.done) == (ActionState.FAILED, 3)
    assert action.error == "the database went away"


def test_actions_are_found_the_newest_first(store: Store):
    numbers = [an_action(store, verb) for verb in ("pause", "resume", "cancel", "retry", "scale")]
    first = store.actions.find(limit=3)
    second = store.actions.find(before_id=first[-1].id, limit=3)
    assert [action.id for action in (*first, *second)] == numbers[::-1]
    assert store.actions.find(before_id=numbers[0]) == []
    assert len(store.actions.find(before_id=2**63)) == 5


def test_an_action_whose_process_died_has_failed(store: Store, database: Database):
    program = """
number = store.actions.begin(actor="a", verb="retry", subject="s", detail={}, total=9)
store.actions.advance(number, 4)
print(number, flush=True)
sys.stdin.readline()
"""
    with running(database.url, program) as process:
        number = int(process.line())
        assert store.actions.get(number).state is ActionState.RUNNING
        process.kill()
        (action,) = store.actions.find()
        assert action == store.actions.get(number)
        assert (action.state, action.done, action.total) == (ActionState.FAILED, 4, 9)
        assert f"process {process.pid} on " in action.error
        assert "Do it again for the rest" in action.error


def test_an_action_of_another_machine_lives_while_it_tells(
    store: Store, database: Database, clock: Clock
):
    number = an_action(store, process=ELSEWHERE)
    if database.one_host:
        # Another boot of this machine, which has ended with all of its processes.
        assert store.actions.get(number).state is ActionState.FAILED
        return
    clock.advance(500)
    store.actions.advance(number, 1)
    clock.advance(500)
    assert store.actions.get(number).state is ActionState.RUNNING
    clock.advance(200)
    action = store.actions.get(number)
    assert action.state is ActionState.FAILED
    assert "on barn has said nothing for 10 minutes" in action.error
    store.actions.end(number, done=2)
    assert store.actions.get(number).state is ActionState.DONE


def test_passwords_are_masked_and_texts_bounded(store: Store, database: Database):
    secret = "hunter2" * 2
    number = an_action(
        store,
        actor=f"http://anna:{secret}@proxy.example:8080",
        verb="x" * 10_000_000,
        subject=f"postgresql://me:{secret}@db/queue",
        detail={"proxy": f"http://u:{secret}@p.example:1", "password": secret, "n": [1, None]},
    )
    store.actions.end(number, error=f"no answer from https://u:{secret}@p.example:1/ \0 \ud800")
    action = store.actions.get(number)
    assert secret not in repr(action)
    assert secret not in repr(database.rows("SELECT * FROM actions"))
    assert len(action.verb) == 2_000
    assert action.detail["n"] == [1, None]
    assert "p.example:1/" in action.error


@pytest.mark.parametrize("number", [0, -1, 7, 2**63, 10**30])
def test_an_action_that_is_not_there_is_not_found(store: Store, number: int):
    with pytest.raises(NotFound, match="may be older than 90 days"):
        store.actions.get(number)


def test_an_impossible_total_is_refused(store: Store):
    with pytest.raises(InputError, match="must be 0 or more, got -1"):
        an_action(store, total=-1)


def test_old_actions_are_pruned(store: Store, clock: Clock):
    old = an_action(store)
    clock.advance(60 * DAY)
    new = an_action(store)
    assert store.upkeep.prune()["actions"] == 0
    clock.advance(31 * DAY)
    assert store.upkeep.prune()["actions"] == 1
    found: list[Action] = store.actions.find()
    assert [action.id for action in found] == [new]
    assert old != new
