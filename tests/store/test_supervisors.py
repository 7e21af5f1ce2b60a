"""Supervisors: one live one per name, told what people want of it with each beat."""

import os
import subprocess
import sys
from typing import Any

import msgspec
import pytest

from swather import posix
from swather.errors import InputError, NotFound, SwatherError
from swather.model.supervisor import NewSupervisor, Orders, SupervisorState
from swather.store import Store
from swather.store.clock import Clock
from tests.store.threads import together

ELSEWHERE = msgspec.structs.replace(posix.this_process(), boot_id="another machine's")


def a_supervisor(store: Store, name: str = "barn", **fields: Any) -> int:
    fields = {"process": posix.this_process(), "wanted": 2, **fields}
    return store.supervisors.register(NewSupervisor(name=name, **fields))


def test_beat_tells_what_people_want(store: Store, other: Store):
    number = a_supervisor(store, command="swather fleet up books.py", log_folder="/logs")
    version = store.settings.control_version()
    assert store.supervisors.beat(number) == Orders(alive=True, wanted=2, control_version=version)
    other.supervisors.set_wanted(number, 8)
    other.supervisors.ask_restart(number)
    other.supervisors.ask_restart(number)
    other.supervisors.set_bounds(number, 1, 9)
    other.supervisors.ask_stop(number, now=True)
    other.supervisors.ask_stop(number)
    told = store.supervisors.beat(number, {"workers": [1]})
    assert told == Orders(
        alive=True, wanted=8, minimum=1, maximum=9, restarts=2, stops=2, control_version=version
    )
    store.supervisors.beat(number)
    (row,) = other.supervisors.find()
    assert (row.name, row.said, row.wanted) == ("barn", {"workers": [1]}, 8)
    assert (row.command, row.log_folder) == ("swather fleet up books.py", "/logs")
    assert row.process == posix.this_process()


def test_register_refuses_a_name_whose_supervisor_lives(store: Store, other: Store):
    first = a_supervisor(store)
    with pytest.raises(InputError, match=f"'barn' is already up.*process {os.getpid()} on"):
        a_supervisor(other)
    a_supervisor(other, "shed")
    store.supervisors.retire(first, {"workers": []})
    second = a_supervisor(other)
    assert [row.id for row in store.supervisors.find() if row.name == "barn"] == [second]
    assert store.supervisors.get(first).state is SupervisorState.RETIRED
    assert store.supervisors.get(first).said == {"workers": []}


def test_register_takes_the_place_of_one_whose_process_is_dead(store: Store):
    with subprocess.Popen([sys.executable, "-S", "-c", ""]) as ended:
        process = msgspec.structs.replace(posix.this_process(), pid=ended.pid, started="1")
    dead = a_supervisor(store, process=process)
    assert store.supervisors.find() == []
    assert [row.state for row in store.supervisors.find(live=False)] == [SupervisorState.LOST]
    a_supervisor(store)
    assert store.supervisors.beat(dead) == Orders(alive=False)


def test_a_silent_supervisor_is_lost_when_its_lease_ends(store: Store, clock: Clock):
    number = a_supervisor(store, lease_seconds=30.0)
    clock.advance(29)
    store.supervisors.beat(number)
    clock.advance(29)
    assert [row.id for row in store.supervisors.find()] == [number]
    clock.advance(2)
    assert store.supervisors.find() == []
    # It was cut off and returns before anyone has taken its place.
    assert store.supervisors.beat(number).alive
    clock.advance(31)
    a_supervisor(store)
    assert not store.supervisors.beat(number).alive


def test_of_several_that_register_at_once_one_succeeds(store: Store):
    def register(mine: Store, _: int) -> list[str]:
        try:
            return [f"registered {a_supervisor(mine)}"]
        except InputError as error:
            return [str(error)]

    told = sorted(together(store, register, count=4))
    assert ["already up" in each for each in told] == [True, True, True, False]
    assert len(store.supervisors.find()) == 1


ENDED = {
    "set_wanted": (3,),
    "set_bounds": (1, 3),
    "ask_restart": (),
    "ask_stop": (),
}


@pytest.mark.parametrize("verb", ENDED)
def test_nothing_can_be_asked_of_one_that_has_ended(store: Store, verb):
    number = a_supervisor(store)
    store.supervisors.retire(number)
    for unknown in (number, number + 1, -1, 2**70):
        with pytest.raises(NotFound, match="is not running"):
            getattr(store.supervisors, verb)(unknown, *ENDED[verb])
    with pytest.raises(NotFound):
        store.supervisors.get(number + 1)


WRONG = {
    "wanted": -1,
    "name": "",
    "placement": "a\0b",
    "lease_seconds": float("nan"),
    "maximum": 3,
}


@pytest.mark.parametrize("field", WRONG)
def test_register_refuses_what_no_supervisor_can_be(store: Store, field):
    with pytest.raises(SwatherError):
        a_supervisor(store, **{"name": "barn", field: WRONG[field]})
    assert store.supervisors.find(live=False) == []


@pytest.mark.parametrize("bounds", [(2, 1), (0, 0), (-1, 3), (1, 1_000_000)])
def test_set_bounds_refuses_impossible_ones(store: Store, bounds):
    with pytest.raises(InputError):
        store.supervisors.set_bounds(a_supervisor(store), *bounds)


def test_prune_drops_supervisors_that_are_long_gone(store: Store, clock: Clock):
    for name, process in (("barn", posix.this_process()), ("far", ELSEWHERE)):
        a_supervisor(store, name, process=process)
    assert store.upkeep.prune()["supervisors"] == 0
    clock.advance(8 * 86_400)
    a_supervisor(store, "new")
    assert store.upkeep.prune()["supervisors"] == 2
    assert [row.name for row in store.supervisors.find()] == ["new"]
