from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from swather.model.error_title import MAX_TITLE_CHARACTERS
from swather.model.outcome import (
    Cancelled,
    Completed,
    Failed,
    Fault,
    Item,
    Released,
    Retry,
)
from swather.model.retry import ErrorClass
from swather.model.task import TERMINAL, WAITING

numbers = st.integers(0, 10**12).map(str) | st.decimals(
    0, 10**6, places=2, allow_nan=False, allow_infinity=False
).map(str)
long_quotes = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="'\"\n"), min_size=61, max_size=600
).map(lambda text: f"'{text}'")
quoted_ids = st.integers(0, 10**12).map(lambda number: f"'item-{number}'")
uuids = st.uuids().map(str)
addresses = st.text("abcXYZ019/?&=%.-_", min_size=1, max_size=600).map(
    lambda text: f"https://{text}"
)
objects = st.integers(2**24, 2**48).map(lambda number: f"<Page at {number:#x}>")


def transient(message: str, where: str = "books.py:scrape") -> Fault:
    return Fault(error_class=ErrorClass.TRANSIENT, message=message, where=where)


@pytest.mark.parametrize("varying", [numbers, long_quotes, quoted_ids, uuids, addresses, objects])
@given(data=st.data())
def test_messages_that_differ_only_in_their_values_group_together(
    varying: st.SearchStrategy[str], data: st.DataObject
) -> None:
    template = "could not read {} of the page"
    one = transient(template.format(data.draw(varying)))
    other = transient(template.format(data.draw(varying)))
    assert one.title == other.title
    assert one.fingerprint == other.fingerprint


@pytest.mark.parametrize("value", ["'{}'", '"{}"', "http://example.com/{}"])
def test_a_long_value_does_not_split_a_group(value: str) -> None:
    short, long = (f"could not read {value.format('a' * size)} at all" for size in (61, 900))
    assert transient(short).fingerprint == transient(long).fingerprint


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("HTTP 503 from https://example.com/a?b=1", "HTTP 503 from …"),
        ("took 1.532 s, limit 30 s", "took # s, limit 30 s"),
        ("Timeout after 0.2s", "Timeout after 0.2s"),
        ("HTTP 429 (retry after 27 s)", "HTTP 429 (retry after # s)"),
        ("(read timeout=30)", "(read timeout=30)"),
        ("larger than 20 MB", "larger than 20 MB"),
        ("[Errno 111] Connection refused", "[Errno 111] Connection refused"),
        ("1,000 of 20 rows", "# of # rows"),
        ("no element \"h1.title\" in 'page 7'", "no element \"h1.title\" in 'page #'"),
        ("'NoneType' object has no attribute 'text'",) * 2,
        ("KeyError: 'price'", "KeyError: 'price'"),
        ("KeyError: '8231'", "KeyError: '#'"),
        ("f() takes 2 positional arguments but 3 were given",) * 2,
        ("not enough values to unpack (expected 3, got 2)",) * 2,
        ("invalid literal for int() with base 10: 'abc'",) * 2,
        ("float: '£51.77'", "float: '£#'"),
        ("'utf-8' codec", "'utf-8' codec"),
        ("video dQw4w9WgXcQ is gone", "video # is gone"),
        ("the decade of the facade", "the decade of the facade"),
        ("bad t1", "bad t#"),
        ("<Page object at 0x7F3a99c0>", "<Page object at #>"),
        ("<Page object at 0x12345678>", "<Page object at #>"),
        ("hash d41d8cd98f00b204", "hash #"),
        ("can't open the page", "can't open the page"),
        ("\n first line \nsecond line", "first line "),
        ("", ""),
    ],
)
def test_a_title_leaves_out_what_differs_from_target_to_target(message: str, title: str) -> None:
    assert transient(message).title == title


def test_messages_that_say_different_things_are_kept_apart() -> None:
    messages = ["no price on the page", "no title on the page", "connection reset", ""]
    assert len({transient(message).fingerprint for message in messages}) == len(messages)


@given(st.text(), st.sampled_from(ErrorClass), st.sampled_from(ErrorClass))
def test_different_classes_are_kept_apart(message: str, one: ErrorClass, other: ErrorClass) -> None:
    assume(one is not other)
    faults = [Fault(error_class=error_class, message=message) for error_class in (one, other)]
    assert faults[0].title == faults[1].title
    assert faults[0].fingerprint != faults[1].fingerprint


@given(st.text("abc.:/0189"), st.text("abc.:/0189"), st.text())
def test_different_places_are_kept_apart(one: str, other: str, message: str) -> None:
    assume(one != other)
    assert transient(message, one).fingerprint != transient(message, other).fingerprint


@given(st.text(), st.text(), st.booleans())
def test_a_traceback_does_not_split_a_group(one: str, other: str, alone: bool) -> None:
    faults = [
        Fault(error_class=ErrorClass.CRASH, message="died", traceback=text, alone=alone)
        for text in (one, other)
    ]
    assert faults[0].fingerprint == faults[1].fingerprint


@given(st.text() | st.sampled_from(["\ud800", "\0", "x" * 100_000, "'" * 99_999]))
def test_any_message_has_a_short_title_and_a_fingerprint(message: str) -> None:
    fault = transient(message)
    assert len(fault.title) <= MAX_TITLE_CHARACTERS
    assert "\n" not in fault.title
    assert len(fault.fingerprint) == 16
    assert int(fault.fingerprint, 16) >= 0


FAULT = transient("down")
OUTCOMES: list[Any] = [
    Completed(task_id=1, token=7, items=[Item({"a": 1})]),
    Retry(task_id=1, token=7, fault=FAULT),
    Failed(task_id=1, token=7, reason="timeout", fault=FAULT),
    Released(task_id=1, token=7),
    Cancelled(task_id=1, token=7),
]


def test_the_outcomes_lead_to_every_state_a_leased_task_may_go_to() -> None:
    assert {outcome.state for outcome in OUTCOMES} == TERMINAL | WAITING


@pytest.mark.parametrize("outcome", OUTCOMES, ids=lambda outcome: type(outcome).__name__)
def test_every_outcome_is_fenced_by_task_and_token(outcome: Any) -> None:
    assert outcome.fence == (1, 7)
