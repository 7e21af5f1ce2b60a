import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.errors import InputError
from swather.model.lease import ClaimRequest, Lease
from swather.model.retry import ErrorClass, Faults


def lease_after(failures: list[tuple[ErrorClass, bool]]) -> Lease:
    faults = Faults()
    for error_class, alone in failures:
        faults = faults.plus(error_class, alone=alone)
    return Lease(
        task_id=3,
        token=8,
        run_id=1,
        target="x",
        priority=5,
        lane="",
        partition="",
        parent_id=None,
        faults=faults,
    )


FAILURES = sorted(set(ErrorClass) - {ErrorClass.LATER})


@given(st.lists(st.tuples(st.sampled_from(FAILURES), st.booleans()), max_size=20))
def test_the_attempt_counts_every_execution_from_one(
    failures: list[tuple[ErrorClass, bool]],
) -> None:
    assert lease_after(failures).attempt == len(failures) + 1
    assert lease_after([*failures, (ErrorClass.LATER, False)]).attempt == len(failures) + 1


def test_a_lease_is_fenced_by_task_and_token() -> None:
    assert lease_after([]).fence == (3, 8)


@given(st.integers(max_value=0))
def test_a_claim_asks_for_at_least_one_task(count: int) -> None:
    with pytest.raises(InputError, match=f"count must be at least 1, got {count}"):
        ClaimRequest(worker_id=1, count=count)
