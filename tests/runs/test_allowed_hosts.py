"""Hosts that a person typed are kept with the run, before any of its targets can be taken."""

import pytest

from swather.runs.load import load
from swather.runs.loading import anything_new
from swather.runs.start import plan_run
from tests.runs.given import a_scraper, an_intake
from tests.store.given import a_run

HERE = ("127.0.0.1", 80)


def is_allowed(store, run, host, port=80):
    return store.allowed_hosts.pin(run, host, port, "127.0.0.1") is not None


def test_loading_keeps_the_hosts_of_the_targets(store):
    run = a_run(store)
    load(store, run, an_intake(["http://127.0.0.1:8000/a", "http://127.0.0.1:8000/b", "x", 7]))
    assert is_allowed(store, run, "127.0.0.1", 8000)
    assert not is_allowed(store, run, "localhost")
    load(store, run, an_intake([{"url": "http://localhost/"}]))
    assert is_allowed(store, run, "localhost")
    assert is_allowed(store, run, "127.0.0.1", 8000)


def test_they_are_kept_before_the_targets_of_each_batch_can_be_taken(store):
    run = a_run(store)
    seen = []

    class Watched:
        def __getattr__(self, name):
            return getattr(store, name)

        @property
        def tasks(self):
            number = len(seen)
            seen.append(is_allowed(store, run, f"h{number}.example"))
            return store.tasks

    load(Watched(), run, an_intake(f"http://h{n}.example/" for n in range(3)), batch_size=1)
    assert seen == [True, True, True]


def test_looking_for_new_targets_keeps_them_too(store):
    run = a_run(store)
    assert anything_new(store, run, an_intake(["http://127.0.0.1/"]))
    assert is_allowed(store, run, *HERE)


def test_hosts_in_the_parameters_count_as_typed(store):
    params = {"start": "http://127.0.0.1:9/", "pages": 3}
    planned = plan_run(store, a_scraper(), params=params)
    assert is_allowed(store, planned.run.name, "127.0.0.1", 9)


def test_a_run_that_was_begun_by_somebody_who_was_killed_gets_its_hosts_from_the_next(
    store, monkeypatch
):
    params = {"start": "http://127.0.0.1:9/"}
    with monkeypatch.context() as patched:
        patched.setattr(type(store.allowed_hosts), "add", lambda *_: None)
        begun = plan_run(store, a_scraper(), params=params).run.name
    assert plan_run(store, a_scraper(), params=params).run.name == begun
    assert is_allowed(store, begun, "127.0.0.1", 9)


@pytest.mark.slow
def test_there_is_no_limit_to_their_number(store):
    run = a_run(store)
    load(store, run, an_intake(f"http://h{number}.example/" for number in range(2_500)))
    assert is_allowed(store, run, "h0.example")
    assert is_allowed(store, run, "h2499.example")


def test_hosts_are_handed_over_once(store):
    intake = an_intake(["http://a.example/1", "http://a.example/2", "http://b.example/"])
    intake.check()
    assert intake.take_hosts() == {("a.example", 80), ("b.example", 80)}
    assert list(intake.batches(10))
    assert intake.take_hosts() == set()


def test_what_comes_from_a_client_of_the_api_opens_no_private_host(store):
    run = a_run(store)
    load(store, run, an_intake(["http://127.0.0.1/"], is_remote=True))
    assert store.runs.counts(run).ready == 1
    assert not is_allowed(store, run, *HERE)


def test_of_a_remote_order_only_what_the_settings_name_counts_as_typed(store):
    params = {"start": "http://127.0.0.1:9/", "other": "http://localhost:8/"}
    planned = plan_run(
        store, a_scraper(), params=params, typed_params={"other": "http://localhost:8/"}
    )
    assert not is_allowed(store, planned.run.name, "127.0.0.1", 9)
    assert is_allowed(store, planned.run.name, "localhost", 8)
