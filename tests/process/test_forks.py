"""Scrapers that fork: the copy of a worker, or of its child, ends and takes part in nothing."""

from pathlib import Path

import pytest

from tests.process.given import Yard
from tests.worker.given import wait_until

pytestmark = pytest.mark.timeout(300)

PLAIN = ["forks_in_threads", "forks_in_children"]
ASYNC = ["forks_on_the_loop", "forks_in_async_children"]


def items_by_target(yard: Yard, run: str) -> dict[int, list]:
    numbers = {task.id: n for n, task in yard.tasks(run).items()}
    count = yard.store.runs.counts(run).items
    found: dict[int, list] = {}

    def read() -> bool:
        rows = yard.store.results.items(run, limit=100)
        found.clear()
        for row in rows:
            found.setdefault(numbers[row.task_id], []).append(row.data)
        return len(rows) == count

    wait_until(read)
    return found


def scrape(yard: Yard, scraper: str, deeds: list[str | None]) -> dict[int, list]:
    """With one slot; each target's items, after a check that all were done and no copy is left."""
    run = yard.run(scraper, [{} if deed is None else {"do": deed} for deed in deeds])
    worker = yard.start(run, scraper, concurrency=1)
    assert worker.end(60) == 0, worker.said
    assert yard.counts(run) == {"completed": len(deeds)}, worker.said
    for n, deed in enumerate(deeds):
        if deed is not None:
            pid = yard.wait_for(f"copied-{n}")
            assert not Path(f"/proc/{pid}").exists()
    return items_by_target(yard, run)


@pytest.mark.parametrize("scraper", PLAIN + ASYNC)
def test_every_target_keeps_its_own_result_whatever_a_forked_copy_does(
    either_yard: Yard, scraper: str
):
    deeds = ["exit", None, "return", None, "raise", None, "checkpoint", None]
    items = scrape(either_yard, scraper, deeds)
    assert {n: [item["n"] for item in found] for n, found in items.items()} == {
        n: [n] for n in range(len(deeds))
    }
    assert [items[n][0]["code"] for n in (0, 2, 4, 6)] == [7, 1, 1, 1]


@pytest.mark.parametrize("scraper", PLAIN + ASYNC)
def test_a_context_refuses_to_be_used_in_a_forked_copy(yard: Yard, scraper: str):
    items = scrape(yard, scraper, ["emit", None])
    assert items[0][0]["code"] == 8
    assert yard.happened("AttemptOver")


@pytest.mark.parametrize("scraper", ASYNC)
def test_a_copy_of_an_event_loop_does_not_go_on_with_what_runs_on_it(yard: Yard, scraper: str):
    items = scrape(yard, scraper, ["await", None])
    assert items[0][0]["code"] == 1
    assert items[1] == [{"n": 1}]


def test_a_child_that_died_is_noticed_although_its_copy_lives(yard: Yard):
    run = yard.run("dies_with_a_copy", [{"do": "die"}, {}])
    worker = yard.start(run, "dies_with_a_copy", concurrency=1)
    assert worker.end(60) == 0
    assert yard.counts(run) == {"completed": 1, "failed": 1}
    assert "exit code 3" in yard.tasks(run)[0].error
    for pid in yard.happened("copied"):
        wait_until(lambda pid=pid: not Path(f"/proc/{pid}").exists(), 10)
