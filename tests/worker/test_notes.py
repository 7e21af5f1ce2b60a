"""What attempts note besides their results: lines of `ctx.log`, items that hooks dropped, targets
that were skipped.
"""

import threading

import pytest

from swather.scraping.notes import Notes
from swather.scraping.scraper import scraper
from tests.worker.given import Shop

ADDRESS = "https://ada:sesame@example.com/"


def note(ctx, target):
    ctx.log.debug("too small")
    ctx.log.info("at %s", ADDRESS)
    thread = threading.Thread(target=ctx.log.warning, args=("from a thread",))
    thread.start()
    thread.join()
    for number in (1, None, None):
        ctx.emit({"number": number})
    ctx.skip(3)
    ctx.skip()
    ctx.reject("closed", 2)
    ctx.reject("closed")
    ctx.reject(f"from the site: {'x' * 100}")
    if target == 1:
        raise ValueError("bad")


@scraper(retries=0)
async def on_the_loop(ctx, target):
    note(ctx, target)


@scraper(retries=0)
def in_a_thread(ctx, target):
    note(ctx, target)


@scraper(retries=0, isolation="process")
def in_a_child(ctx, target):
    note(ctx, target)


for one in (on_the_loop, in_a_thread, in_a_child):
    one.on_item(lambda item: item if item["number"] else None)


def lines(shop: Shop, run: str, task: int) -> list[tuple[str, str]]:
    found = shop.store.events.find(run, task_id=shop.tasks(run)[task].id)
    return [
        (event.data["level"], event.message)
        for event in found
        if event.data is not None and "level" in event.data
    ]


@pytest.mark.slow
@pytest.mark.parametrize("noting", [on_the_loop, in_a_thread, in_a_child], ids=lambda s: s.name)
def test_lines_of_the_log_are_kept_and_what_was_dropped_skipped_or_rejected_is_counted(
    either_shop: Shop, noting
):
    run, _ = either_shop.scrape(noting, 2)
    expected = [("info", "at https://***@example.com/"), ("warning", "from a thread")]
    assert [lines(either_shop, run, task) for task in (0, 1)] == [expected, expected]
    counts = either_shop.store.runs.counts(run)
    assert (counts.items, counts.dropped, counts.skipped) == (1, 2, 4)
    assert counts.rejected == {"closed": 3, f"from the site: {'x' * 44}…": 1}


def test_lines_are_bounded_for_an_attempt_and_for_a_run(shop: Shop):
    @scraper
    async def talks(ctx, target):
        for number in range(10):
            ctx.log.info("line %d", number)

    run, _ = shop.scrape(talks, 200, log_lines=3, concurrency=1)
    assert [message for _, message in lines(shop, run, 0)][:2] == ["line 0", "line 1"]
    assert "more lines are not kept" in lines(shop, run, 0)[2][1]
    assert len(shop.store.events.find(run, limit=1_000)) == 3 * 100
    run, _ = shop.scrape(talks, 2, log_lines=0)
    assert shop.store.events.find(run) == []


def test_a_line_that_cannot_be_written_breaks_nothing():
    class Strange:
        def __str__(self):
            raise RuntimeError

    notes = Notes()
    notes.keep(20, Strange(), ())
    notes.keep(20, "%d", ("x",))
    notes.keep(20, "x" * 9_000, ())
    assert [len(line.message) for line in notes.lines] == [29, 29, 1_000]
