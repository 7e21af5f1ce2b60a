"""Load: stream targets into a run, a batch at a time; loading again is safe."""

from collections.abc import Callable
from functools import partial
from threading import Event

import msgspec

from swather.errors import BadLines, Closed, RunCancelled
from swather.runs.fresh_chance import close_breakers
from swather.runs.intake import Intake, described
from swather.runs.producer import Producer
from swather.runs.targets import BadLine
from swather.runs.words import count
from swather.store import Store
from swather.store.batching import Row
from swather.store.retrying_queue import RetryingQueue


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """How far a load has come. `complete`: every target that was asked for is in the run;
    `cancelled`: the run was cancelled while loading and takes no more.
    """

    added: int = 0
    duplicates: int = 0
    skipped: int = 0
    bad: tuple[BadLine, ...] = ()
    complete: bool = False
    cancelled: bool = False

    @property
    def targets(self) -> int:
        return self.added + self.duplicates

    def in_words(self, *, into_new: bool) -> str:
        """'1,000 targets loaded, 12 duplicates skipped': `into_new`, into a run that had none."""
        parts = [f"{count(self.added, 'target')} loaded"]
        if self.duplicates and into_new:
            parts.append(f"{count(self.duplicates, 'duplicate')} skipped")
        elif self.duplicates:
            parts.append(f"{self.duplicates:,} already in the run")
        if self.skipped:
            parts.append(f"{count(self.skipped, 'bad line')} skipped")
        return ", ".join(parts)

    def skipped_lines(self) -> list[str]:
        """What is said about lines that were skipped: how many, and the first of them."""
        if not self.skipped:
            return []
        listed = [f"  {described(line)}" for line in self.bad]
        more = self.skipped - len(self.bad)
        last = [f"  and {more:,} more"] if more else []
        return [f"Skipped {count(self.skipped, 'bad line')}:", *listed, *last]


def load(
    store: Store,
    run: str,
    intake: Intake,
    *,
    on_progress: Callable[[Loaded], None] | None = None,
    stop: Event | None = None,
    batch_size: int = 5_000,
    lease_seconds: float = 60.0,
    producer_id: int | None = None,
) -> Loaded:
    """Load all of `intake` into `run`, until it ends or `stop` is set.

    A bad line, `stop` and any other error leave what was loaded so far in the run, which is then
    load_incomplete: the same load again completes it. It waits for a lost database. When the run
    is cancelled, loading ends. `producer_id`: the producer that is registered for it.
    """
    stop = stop or Event()
    queue = RetryingQueue(store.queue, stop, store.outage)
    loaded = Loaded()
    store.loads.begin(run, intake.load)
    with Producer(store, run, lease_seconds=lease_seconds, registered_as=producer_id) as producer:
        try:
            for batch in intake.batches(batch_size):
                if batch:
                    # Before any of its targets can be claimed.
                    if hosts := intake.take_hosts():
                        queue.repeat(partial(store.allowed_hosts.add, run, hosts))
                    _enqueue(store, queue, run, batch, intake)
                    before, loaded = loaded, _so_far(intake)
                    if loaded.added and not before.added:
                        queue.repeat(lambda: close_breakers(store, store.runs.get(run).scraper))
                    producer.statistics = {"loaded": loaded.targets, "added": loaded.added}
                    if on_progress is not None:
                        on_progress(loaded)
                if stop.is_set():
                    return loaded
            queue.repeat(lambda: store.loads.complete(run, intake.load))
        except BadLines as error:
            raise BadLines(f"{error}\n{_how_to_go_on(loaded)}") from error
        except Closed:
            return loaded
        except RunCancelled:
            return msgspec.structs.replace(loaded, cancelled=True)
    return msgspec.structs.replace(_so_far(intake), complete=True)


def _enqueue(
    store: Store, queue: RetryingQueue, run: str, batch: list[Row], intake: Intake
) -> None:
    intake.count(queue.repeat(lambda: store.tasks.enqueue(run, batch, batch_size=len(batch))))
    store.hints.send()


def _so_far(intake: Intake) -> Loaded:
    return Loaded(
        added=intake.added,
        duplicates=intake.duplicates,
        skipped=intake.skipped,
        bad=tuple(intake.bad),
    )


def _how_to_go_on(loaded: Loaded) -> str:
    if not loaded.targets:
        return "Nothing was loaded."
    return (
        f"The {loaded.targets:,} targets before it are loaded; do the same again to load the rest."
    )
