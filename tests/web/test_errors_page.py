"""The page of errors: groups over all runs, muted and unmuted."""

import re
from datetime import UTC, datetime

from starlette.testclient import TestClient

from swather.model.history import Measured
from swather.model.history_details import GroupTimes
from swather.model.results import ErrorGroup
from swather.store import Store
from swather.web.group_sparks import span_for, spark_of
from tests.store.given import a_fault, a_run, a_worker, claim, failed, finish
from tests.web.html import read


def failing_runs(store: Store) -> list[str]:
    """The same failure in two runs, twice and three times."""
    worker = a_worker(store)
    runs = []
    for number in (2, 3):
        run = a_run(store, number)
        fault = a_fault("HTTP 404 from https://shop.example/<script>", traceback="at <script>")
        finish(store, *(failed(each, fault=fault) for each in claim(store, worker, number)))
        runs.append(run)
    return runs


def test_the_same_failure_in_several_runs_is_one_group(client: TestClient, store: Store) -> None:
    runs = failing_runs(store)
    page = read(client, "/errors")
    assert len(page.texts(".error-groups > li")) == 1
    assert page.text(".error-groups b.t-failed") == "5 times"
    assert set(page.texts(".runs-of > li > a:first-child")) == set(runs)
    assert sorted(page.texts(".runs-of a.button")) == ["Retry these 2", "Retry these 3"]
    assert "<script>" not in page.html.replace("<script src=", "")


def test_a_small_chart_says_when_it_happened(client: TestClient, store: Store) -> None:
    runs = failing_runs(store)
    (group,) = store.results.errors(runs[0])
    for run, count in zip(runs, (2, 3), strict=True):
        store.history.note(run, Measured(groups={group.fingerprint: count}))
    page = read(client, "/errors")
    words = page.text(".when small")
    assert re.fullmatch(r"5 in the last hour, most at \d\d:\d\d UTC", words)
    assert f'role="img" aria-label="{words}"' in page.html
    assert len(page.texts(".when rect")) == 1
    store.results.mute(runs[0], group.fingerprint, True)
    # Only those of the runs that are shown.
    assert read(client, "/errors").text(".when small").startswith("3 in the last hour")
    store.history.note(runs[0], Measured(groups_left_out=4))
    assert read(client, "/errors").text(".when small").startswith("about 3 in the last hour")


def test_a_chart_that_lacks_some_says_about(client: TestClient, store: Store) -> None:
    runs = failing_runs(store)
    (group,) = store.results.errors(runs[0])
    # The other worker was killed before it told.
    store.history.note(runs[0], Measured(groups={group.fingerprint: 2}))
    assert read(client, "/errors").text(".when small").startswith("about 2 in the last hour")


def test_a_failure_that_nobody_has_told_of_has_no_chart(client: TestClient, store: Store) -> None:
    failing_runs(store)
    assert read(client, "/errors").texts(".when") == []


def a_group(run: str, count: int) -> ErrorGroup:
    at = datetime.fromtimestamp(0, UTC)
    return ErrorGroup(
        fingerprint="f",
        run=run,
        error_class="permanent",
        title="gone",
        where="",
        count=count,
        first_at=at,
        last_at=at,
        sample_task_id=1,
        sample_message="gone",
        sample_traceback="",
    )


def test_charts_of_a_page_have_one_span() -> None:
    until = 86_400.0 * 20_000 + 1_000
    times = GroupTimes(
        until=until,
        times={("a", "f"): {until - 60: 2}, ("b", "f"): {until - 3 * 3_600: 5}},
    )
    assert span_for(times, [("a", "f")]).name == "hour"
    span = span_for(times, times.times)
    assert span.name == "6 hours"
    spark = spark_of(times, [a_group("a", 2), a_group("b", 5)], span)
    assert spark is not None
    assert (sum(spark.counts), spark.counts[-1]) == (7, 2)
    assert spark.words == "7 in the last 6 hours, most at 21:10 UTC"
    assert spark_of(times, [a_group("c", 1)], span) is None


def test_a_group_is_muted_and_unmuted(client: TestClient, store: Store) -> None:
    run, other = failing_runs(store)
    (group,) = store.results.errors(run)
    form = {"run": run, "group": group.fingerprint}
    client.post("/errors/mute", data={**form, "muted": "true"})
    assert read(client, "/errors").texts(".runs-of > li > a:first-child") == [other]
    assert read(client, "/errors?show=muted").texts(".runs-of > li > a:first-child") == [run]
    assert read(client, f"/runs/{run}").texts("#errors li") == []
    client.post("/errors/mute", data={**form, "muted": "false"})
    assert len(read(client, "/errors").texts(".runs-of > li")) == 2
    assert (
        client.post("/errors/mute", data={**form, "group": "x", "muted": "true"}).status_code == 404
    )


def test_nothing_has_failed(client: TestClient) -> None:
    assert read(client, "/errors").text(".empty h2") == "Nothing has failed"
