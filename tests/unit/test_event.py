import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.model.task import LOGGED, EventKind, EventLevel


def test_every_level_says_what_it_logs() -> None:
    assert set(LOGGED) == set(EventLevel)


@given(st.sampled_from(EventKind))
def test_none_logs_nothing_and_all_logs_everything(kind: EventKind) -> None:
    assert not EventLevel.NONE.logs(kind)
    assert EventLevel.ALL.logs(kind)


@pytest.mark.parametrize("kind", EventKind)
def test_failures_logs_what_went_wrong_and_no_more(kind: EventKind) -> None:
    went_wrong = kind in {EventKind.FAILED, EventKind.RETRY, EventKind.SWEPT}
    assert EventLevel.FAILURES.logs(kind) is went_wrong
