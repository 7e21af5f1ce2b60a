"""Many threads at once, each with a store of its own, as so many processes would have."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from swather.store import Store
from tests.store.given import a_worker


def together(store: Store, work: Callable[[Store, int], list[Any]], count: int = 8) -> list[Any]:
    """What `count` threads bring back, each with a store and a worker, all begun at once."""
    start = threading.Barrier(count)

    def begin() -> list[Any]:
        mine = store.another()
        try:
            worker = a_worker(mine)
            start.wait(timeout=20)
            return work(mine, worker)
        finally:
            mine.close()

    with ThreadPoolExecutor(count) as threads:
        begun = [threads.submit(begin) for _ in range(count)]
        return [found for one in begun for found in one.result(timeout=50)]
