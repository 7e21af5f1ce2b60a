from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.errors import InputError
from swather.model.lease import Strategy
from swather.model.pacing import NO_LIMITS
from swather.model.run import REASON_PREFIX, Counts, Run, RunState, counts_from, run_name
from swather.model.task import TERMINAL, WAITING, State

amounts = st.integers(0, 10**9)
reasons = st.dictionaries(st.text(max_size=8), amounts, max_size=5)
plain = st.dictionaries(st.sampled_from([*State, "items", "files", "retries", "stale"]), amounts)


@given(plain, reasons)
def test_counts_hold_the_sum_of_each_counter(sums: dict[str, int], ends: dict[str, int]) -> None:
    counts = counts_from(sums | {REASON_PREFIX + reason: n for reason, n in ends.items()})
    for name, n in sums.items():
        assert getattr(counts, name) == n
    assert counts.reasons == {reason: n for reason, n in ends.items() if n}


@given(plain)
def test_every_task_is_counted_in_exactly_one_sum(sums: dict[str, int]) -> None:
    counts = counts_from(sums)
    assert counts.waiting == sum(sums.get(state, 0) for state in WAITING)
    assert counts.unfinished == counts.waiting + sums.get(State.LEASED, 0)
    assert counts.done == sum(sums.get(state, 0) for state in TERMINAL)
    assert counts.total == sum(sums.get(state, 0) for state in State)


def test_a_run_without_counters_has_nothing() -> None:
    assert counts_from({}) == Counts()
    assert Counts().total == 0


def test_counters_of_a_later_release_are_passed_over() -> None:
    assert counts_from({"ready": 2, "sideways": 3}) == Counts(ready=2)


def test_a_reason_named_like_a_state_stays_a_reason() -> None:
    counts = counts_from({"failed": 1, "reason:failed": 1, "reason:reason:x": 2})
    assert counts == Counts(failed=1, reasons={"failed": 1, "reason:x": 2})


def test_a_run_is_named_after_its_start_and_its_scraper() -> None:
    at = datetime(2026, 2, 15, 12, 0, 0, 999_999, tzinfo=UTC)
    assert run_name("books", at) == "20260215_120000-books"


@given(*[st.datetimes(datetime(1000, 1, 1), timezones=st.just(UTC))] * 2)  # noqa: DTZ001
def test_names_sort_like_the_starts_of_their_runs(one: datetime, other: datetime) -> None:
    earlier, later = sorted([one, other])
    assert run_name("books", earlier) <= run_name("books", later)


GOOD = ["20260215_120000-books", "books", "büro 7", "a..b", "-x", "a:b"]
BAD = [
    "", ".", "..", "../x", "../../../x", "/etc", "a/b", "a\\b", ".hidden", "a\nb", "a\0b", "a\x1bb"
]  # fmt: skip


def a_run(**fields: Any) -> Run:
    return Run(
        **{
            "id": 1,
            "name": "r",
            "scraper": "books",
            "params": {},
            "version": "",
            "strategy": Strategy.FIFO,
            "lane_limits": NO_LIMITS,
            "state": RunState.OPEN,
            "paused": False,
            "load_incomplete": False,
            "times_finished": 0,
            "created_at": datetime.now(UTC),
            "finished_at": None,
            **fields,
        }
    )


@pytest.mark.parametrize("field", ["name", "scraper"])
@pytest.mark.parametrize("name", BAD)
def test_a_run_whose_name_could_lead_to_another_folder_cannot_be_read(field: str, name: str):
    with pytest.raises(InputError, match="cannot be used as a file name"):
        a_run(**{field: name})


@pytest.mark.parametrize("name", GOOD)
def test_other_names_can(name: str):
    assert a_run(name=name, scraper=name).name == name
