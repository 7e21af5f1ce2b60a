import resource
import statistics
import time

import pytest

from swather.model.task import Target
from swather.scraping.scraper import scraper
from swather.store.writer import Writer
from swather.worker import engine
from tests.worker.given import Shop, wait_until


@pytest.mark.slow
def test_new_work_starts_on_a_hint_long_before_the_next_poll(either_shop: Shop):
    began = {}

    @scraper
    async def note(ctx, target):
        began[target] = time.perf_counter()

    run = either_shop.run(note)
    either_shop.start(note, run=run, forever=True, poll_seconds=60)
    wait_until(either_shop.store.workers.find)
    time.sleep(0.3)
    latencies = []
    for number in range(30):
        either_shop.store.tasks.enqueue(run, [Target(value=number)])
        sent = time.perf_counter()
        either_shop.store.hints.send()
        wait_until(lambda number=number: number in began, 10)
        latencies.append(began[number] - sent)
    # Milliseconds, which bench/ measures. The next poll or beat would take seconds.
    assert statistics.median(latencies) < 0.5


@pytest.mark.parametrize(("fed_seconds", "is_finished"), [(60.0, False), (0.0, True)])
def test_a_run_that_is_fed_target_by_target_stays_open(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, fed_seconds: float, is_finished: bool
):
    @scraper
    async def nothing(ctx, target): ...

    def times_finished() -> int:
        return shop.store.runs.get(run).times_finished

    monkeypatch.setattr(engine, "FED_SECONDS", fed_seconds)
    run = shop.run(nothing, 1)
    worker = shop.start(nothing, forever=True)
    for fed in (1, 2):
        wait_until(lambda fed=fed: shop.store.runs.counts(run).completed == fed)
        if is_finished:
            wait_until(lambda fed=fed: times_finished() == fed)
        shop.store.tasks.enqueue(run, [Target(value=fed)])
        shop.store.hints.send()
    wait_until(lambda: shop.store.runs.counts(run).completed == 3)
    worker.stop()
    assert (times_finished() > 0) is is_finished


@pytest.mark.slow
def test_the_first_question_after_a_hint_is_for_one_task(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
):
    answered, began, claim = [], [], Writer.claim

    def noted(writer, request):
        answer = claim(writer, request)
        answer.add_done_callback(lambda done: answered.append((request.count, done.result())))
        return answer

    @scraper
    async def note(ctx, target):
        began.append(target)

    monkeypatch.setattr(Writer, "claim", noted)
    run = shop.run(note)
    shop.start(note, run=run, forever=True, poll_seconds=60, concurrency=8)

    def asks_no_more() -> bool:
        before = len(answered)
        time.sleep(0.3)
        return bool(answered) and len(answered) == before

    wait_until(asks_no_more, 10)
    shop.store.tasks.enqueue(run, [Target(value=number) for number in range(3)])
    shop.store.hints.send()
    wait_until(lambda: len(began) == 3, 10)
    asked = [count for count, claimed in answered if claimed.leases]
    assert asked[0] == 1
    assert asked[1] > 1


def test_without_any_hint_work_is_found_by_polling(shop: Shop):
    began = []

    @scraper
    async def note(ctx, target):
        began.append(target)

    run = shop.run(note)
    shop.start(note, run=run, forever=True, poll_seconds=0.05)
    wait_until(shop.store.workers.find)
    shop.store.tasks.enqueue(run, [Target(value=1)])
    wait_until(lambda: began == [1], 5)


@pytest.mark.slow
def test_an_idle_worker_costs_almost_nothing(shop: Shop):
    @scraper
    async def note(ctx, target):
        return None

    run = shop.run(note)
    shop.start(note, run=run, forever=True)
    wait_until(shop.store.workers.find)
    time.sleep(1)
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    time.sleep(4)
    after, ended = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert used / (ended - began) < 0.01
