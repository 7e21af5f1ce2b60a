import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.errors import BadTarget
from swather.model.task import (
    DEFAULT_PRIORITY,
    HIGHEST_PRIORITY,
    LOWEST_PRIORITY,
    MAX_NAME_BYTES,
    TERMINAL,
    WAITING,
    State,
    Target,
    check_name,
    check_priority,
)


def test_every_state_is_waiting_leased_or_terminal() -> None:
    assert {*WAITING, State.LEASED, *TERMINAL} == set(State)
    assert not WAITING & TERMINAL
    assert {state for state in State if state.is_terminal} == TERMINAL


def test_a_target_has_the_default_priority_and_neither_lane_nor_partition() -> None:
    target = Target(value="x")
    assert (target.priority, target.lane, target.partition) == (DEFAULT_PRIORITY, "", "")
    assert target.key is None


@given(st.integers())
def test_priorities_from_lowest_to_highest_are_accepted_and_no_others(priority: int) -> None:
    if LOWEST_PRIORITY <= priority <= HIGHEST_PRIORITY:
        assert check_priority(priority) == priority
    else:
        with pytest.raises(BadTarget, match=f"from 1 to 10, got {priority}"):
            check_priority(priority)


@pytest.mark.parametrize("priority", [True, 5.0, "5", None])
def test_a_priority_must_be_a_whole_number(priority: object) -> None:
    with pytest.raises(BadTarget, match="whole number"):
        check_priority(priority)  # type: ignore[arg-type]


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=120))
def test_any_short_unicode_text_is_a_name(name: str) -> None:
    assert check_name("lane", name) == name


@given(st.text(), st.sampled_from(["\0", "\ud800", "\udfff"]), st.text())
def test_a_name_with_nul_or_a_lone_surrogate_is_refused(
    before: str, unstorable: str, after: str
) -> None:
    with pytest.raises(BadTarget, match="partition must "):
        check_name("partition", before + unstorable + after)


def test_a_name_is_measured_in_bytes() -> None:
    assert check_name("lane", "é" * (MAX_NAME_BYTES // 2))
    with pytest.raises(BadTarget, match="lane must be at most 500 bytes, got 502: 'éé"):
        check_name("lane", "é" * (MAX_NAME_BYTES // 2 + 1))


@pytest.mark.parametrize("name", [None, 3, b"lane"])
def test_a_name_must_be_text(name: object) -> None:
    with pytest.raises(BadTarget, match="lane must be text"):
        check_name("lane", name)  # type: ignore[arg-type]
