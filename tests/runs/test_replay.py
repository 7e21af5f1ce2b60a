"""How a replay begins, goes on and ends; what it takes up and what it leaves alone."""

import pytest

from swather.errors import InputError
from swather.model.run import RunState
from swather.model.stored_page import StoredPage, request_key
from swather.runs import replay
from swather.runs.why import why_run
from swather.store import Store
from tests.runs.given import a_scraper
from tests.store.given import a_run, a_worker, claim, completed, failed, finish, states


def a_page(task_id: int, url: str = "http://shop.example/", content: bytes = b"x") -> StoredPage:
    return StoredPage(
        task_id=task_id,
        request_key=request_key("GET", url),
        method="GET",
        url=url,
        status=200,
        headers=[],
        content=content,
    )


def a_finished_run(store: Store) -> str:
    """0 completed and 1 failed, both with stored pages; 2 completed and 3 failed without."""
    run, worker = a_run(store, 4), a_worker(store)
    leases = claim(store, worker, 4)
    store.pages.put(run, [a_page(lease.task_id) for lease in leases[:2]])
    store.pages.put(run, [a_page(leases[0].task_id, "http://shop.example/2")])
    finish(store, *(end(lease) for end, lease in zip([completed, failed] * 2, leases, strict=True)))
    assert store.runs.settle(run)
    return run


def test_what_is_stored_is_counted_by_target(store: Store):
    run = store.runs.get(a_finished_run(store))
    assert replay.look(store, run) == (2, 2)


def test_targets_with_stored_pages_are_ready_again_in_a_run_that_is_paused(store: Store):
    run = a_finished_run(store)
    begun = replay.begin(store, store.runs.get(run), a_scraper())
    assert (begun.tasks, begun.goes_on) == (2, False)
    assert states(store, run) == {"ready": 2, "completed": 1, "failed": 1}
    assert store.runs.get(run).paused
    assert claim(store, a_worker(store), 10) == []
    assert len(claim(store, a_worker(store), 10, runs=(run,), unpaced=True)) == 2


def test_it_goes_on_where_it_stopped(store: Store):
    run = a_finished_run(store)
    replay.begin(store, store.runs.get(run), a_scraper())
    (lease,) = claim(store, a_worker(store), runs=(run,), unpaced=True)
    finish(store, completed(lease))
    assert replay.is_half_done(store.runs.get(run))
    assert not replay.is_done(store, run)
    again = replay.begin(store, store.runs.get(run), a_scraper())
    assert (again.tasks, again.goes_on) == (1, True)
    anew = replay.begin(store, store.runs.get(run), a_scraper(), new=True)
    assert (anew.tasks, anew.goes_on) == (2, False)


def test_one_that_was_killed_while_it_began_begins_again(store: Store, monkeypatch):
    run = a_finished_run(store)
    monkeypatch.setattr(replay, "BATCH", 1)
    retry, times = type(store.tasks).retry, []

    def killed(self, which, **options):
        times.append(1)
        if len(times) > 1:
            raise KeyboardInterrupt
        return retry(self, which, **options)

    with monkeypatch.context() as patch:
        patch.setattr(type(store.tasks), "retry", killed)
        with pytest.raises(KeyboardInterrupt):
            replay.begin(store, store.runs.get(run), a_scraper())
    assert states(store, run)["ready"] == 1
    assert replay.begin(store, store.runs.get(run), a_scraper()).tasks == 2


@pytest.mark.parametrize("was_paused", [False, True])
def test_at_its_end_the_run_is_as_it_was(store: Store, was_paused):
    run = a_finished_run(store)
    if was_paused:
        store.runs.pause(run)
    replay.begin(store, store.runs.get(run), a_scraper())
    for lease in claim(store, a_worker(store), 10, runs=(run,), unpaced=True):
        finish(store, completed(lease))
    assert replay.is_done(store, run)
    replay.end(store, run)
    ended = store.runs.get(run)
    assert (ended.state, ended.paused) == (RunState.FINISHED, was_paused)
    assert not replay.is_half_done(ended)
    assert replay.begin(store, ended, a_scraper()).goes_on is False


def test_a_run_that_went_on_by_fetching_is_replayed_from_the_beginning(store: Store):
    run = a_finished_run(store)
    replay.begin(store, store.runs.get(run), a_scraper())
    store.runs.unpause(run)
    for lease in claim(store, a_worker(store), 10):
        finish(store, completed(lease))
    assert store.runs.settle(run)
    assert replay.begin(store, store.runs.get(run), a_scraper())[1:] == (2, False)


def test_why_says_that_a_replay_is_half_done(store: Store):
    run = a_finished_run(store)
    replay.begin(store, store.runs.get(run), a_scraper())
    (told,) = [reason for reason in why_run(store, run) if "paused for a replay" in reason.text]
    assert told.command.startswith(f"swather replay {run} SCRAPER --db")


def test_a_changed_version_is_the_runs_from_now_on(store: Store):
    run = a_finished_run(store)
    begun = replay.begin(store, store.runs.get(run), a_scraper(version="2"))
    assert begun.run.version == "2"


def test_a_run_with_targets_to_scrape_is_refused(store: Store):
    run = a_run(store, 1)
    with pytest.raises(InputError, match="is not finished: 1 target"):
        replay.begin(store, store.runs.get(run), a_scraper())
    assert not store.runs.get(run).paused


def test_a_run_without_stored_pages_is_refused(store: Store):
    run = a_run(store)
    with pytest.raises(InputError, match="has no stored pages"):
        replay.begin(store, store.runs.get(run), a_scraper())
    assert not store.runs.get(run).paused
