"""The states are written once, in the model; the CHECKs of both databases repeat them exactly."""

import re

import pytest

from swather.model.action import ActionState
from swather.model.lane import PacedKind
from swather.model.lease import Strategy
from swather.model.notice import DeliveryState, NoticeKind
from swather.model.run import RunState
from swather.model.schedule import FiringState, Overlap
from swather.model.supervisor import SupervisorState
from swather.model.task import HIGHEST_PRIORITY, LOWEST_PRIORITY, TERMINAL, EventKind
from swather.model.worker import WorkerKind, WorkerState
from swather.store.migrate import migrations_in

PACKAGES = ["swather.store.sqlite", "swather.store.postgres"]

EXPECTED: dict[tuple[str, str], set[str]] = {
    ("lanes", "kind"): set(PacedKind),
    ("runs", "strategy"): set(Strategy),
    ("runs", "state"): set(RunState),
    ("heads", "asleep"): {"", "empty", "full", "paused", "paced"},
    ("outcomes", "state"): set(TERMINAL),
    ("workers", "kind"): set(WorkerKind),
    ("workers", "state"): set(WorkerState),
    ("supervisors", "state"): set(SupervisorState),
    ("events", "kind"): set(EventKind),
    ("schedules", "overlap"): set(Overlap),
    ("firings", "state"): set(FiringState),
    ("notices", "kind"): set(NoticeKind),
    ("deliveries", "state"): set(DeliveryState),
    ("actions", "state"): set(ActionState),
}


def tables(package: str) -> dict[str, str]:
    """The definition of each table by its name."""
    sql = "\n".join(migration.sql for migration in migrations_in(package))
    return dict(re.findall(r"CREATE TABLE (?:swather\.)?(\w+) \((.*?)\n\)", sql, re.DOTALL))


def checks(package: str) -> dict[tuple[str, str], set[str]]:
    """The values that each CHECK (column IN (…)) allows."""
    allowed = re.compile(r"CHECK\s*\(\s*(\w+)\s+IN\s*\(([^()]*)\)\s*\)", re.IGNORECASE)
    return {
        (table, column): set(re.findall(r"'([^']*)'", values))
        for table, definition in tables(package).items()
        for column, values in allowed.findall(definition)
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_the_checks_repeat_the_models_words(package: str):
    assert checks(package) == EXPECTED


@pytest.mark.parametrize("package", PACKAGES)
def test_the_range_of_priorities_is_the_models(package: str):
    between = re.search(r"priority BETWEEN (\d+) AND (\d+)", tables(package)["tasks"])
    assert between is not None
    assert tuple(map(int, between.groups())) == (LOWEST_PRIORITY, HIGHEST_PRIORITY)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_other_state_is_stored_in_a_checked_column(package: str):
    columns = {
        (table, column)
        for table, definition in tables(package).items()
        for column in re.findall(r"\n\s*(state|kind|strategy)\s+\w+ NOT NULL", definition)
    }
    assert columns <= set(EXPECTED)


def test_both_databases_have_the_same_tables():
    sqlite, postgres = (set(tables(package)) for package in PACKAGES)
    assert sqlite == postgres


def test_the_models_words_are_lower_case():
    enums = [
        ActionState, DeliveryState, EventKind, FiringState, NoticeKind, Overlap, PacedKind,
        RunState, Strategy, SupervisorState, WorkerKind, WorkerState,
    ]  # fmt: skip
    assert all(word == word.lower() for enum in enums for word in enum)
