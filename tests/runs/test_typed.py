"""Hosts that a person typed are kept with the run, before any of its targets can be taken."""

from swather.model.run import RESERVED_PARAM
from swather.net.typed import MAX_HOSTS
from swather.runs.load import load
from swather.runs.loading import Loading, anything_new
from swather.runs.start import plan_run
from tests.runs.given import a_scraper, an_intake
from tests.store.given import a_run


def hosts_of(store, run):
    return store.runs.get(run).params.get(RESERVED_PARAM, {}).get("hosts")


def test_loading_keeps_the_hosts_of_the_targets(store):
    run = a_run(store)
    load(store, run, an_intake(["http://127.0.0.1:8000/a", "http://127.0.0.1:8000/b", "x", 7]))
    assert hosts_of(store, run) == ["127.0.0.1:8000"]
    load(store, run, an_intake([{"url": "http://localhost/"}]))
    assert hosts_of(store, run) == ["127.0.0.1:8000", "localhost:80"]


def test_they_are_kept_before_the_first_target_can_be_taken(store):
    run = a_run(store)
    seen = []

    class Watched:
        def __getattr__(self, name):
            return getattr(store, name)

        @property
        def tasks(self):
            seen.append(hosts_of(store, run))
            return store.tasks

    load(Watched(), run, an_intake(["http://127.0.0.1/"]))
    assert seen[0] == ["127.0.0.1:80"]


def test_a_load_in_the_background_keeps_them_before_it_begins(store):
    run = a_run(store)
    intake = an_intake(["http://127.0.0.1/"])
    intake.check()
    loading = Loading(store, run, intake, lease_seconds=60)
    loading._thread.start = lambda: None
    loading._thread.is_alive = lambda: False
    loading.start()
    assert hosts_of(store, run) == ["127.0.0.1:80"]
    loading._store.close()


def test_looking_for_new_targets_keeps_them_too(store):
    run = a_run(store)
    assert anything_new(store, run, an_intake(["http://127.0.0.1/"]))
    assert hosts_of(store, run) == ["127.0.0.1:80"]


def test_hosts_in_the_parameters_count_as_typed(store):
    planned = plan_run(store, a_scraper(), params={"start": "http://127.0.0.1:9/", "pages": 3})
    assert hosts_of(store, planned.run.name) == ["127.0.0.1:9"]


def test_the_first_thousand_are_kept(store):
    run = a_run(store)
    load(store, run, an_intake(f"http://h{number}.example/" for number in range(MAX_HOSTS + 50)))
    hosts = hosts_of(store, run)
    assert len(hosts) == MAX_HOSTS
    assert hosts[0] == "h0.example:80"


def test_a_run_of_targets_that_are_no_urls_keeps_none(store):
    run = a_run(store)
    load(store, run, an_intake([1, 2, 3]))
    assert not hosts_of(store, run)
