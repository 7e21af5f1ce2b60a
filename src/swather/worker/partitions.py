"""The partitions that a worker serves: those of its number, and those that nobody else serves."""

import logging
from collections.abc import Collection
from concurrent.futures import Future
from contextlib import suppress
from time import monotonic

from swather.errors import NotFound
from swather.model.assignment import Balanced, Plan, balanced
from swather.model.partition import Partition
from swather.store.ports import Store
from swather.store.writer import Writer
from swather.worker.messages import Mailbox, PartitionsLeft, PartitionsLooked
from swather.worker.settings import Settings

_log = logging.getLogger(__name__)


class Partitions:
    """What takes a store blocks, and is for the upkeep thread."""

    def __init__(self, settings: Settings, writer: Writer, mailbox: Mailbox) -> None:
        self._settings = settings
        self._number = settings.new_worker.number
        self._writer = writer
        self._mailbox = mailbox
        # Runs whose plan this worker has written: one that is made later is not overwritten.
        self._planned: set[str] = set()
        self._announced: set[tuple[int, str]] = set()
        # Partitions of runs that have had an owner.
        self._served: dict[str, set[str]] = {}
        # Until then, planned workers may still be starting.
        self._adopts_at = monotonic() + settings.new_worker.lease_seconds

    @property
    def may_be_planned(self) -> bool:
        """Whether a plan may give this worker partitions, now or later."""
        return self._number is not None and self._settings.partitions is None

    def look(self, store: Store, *, worker_id: int, has_room: bool) -> PartitionsLooked:
        """Take what is this worker's to serve: of each run all that is planned for it and, if it
        has room, one partition that nobody serves. Without room, too, where the planned worker is
        missing: what is planned shall be served, and not only when all else is done.
        """
        settings = self._settings
        runs = store.partitions.runs(settings.scrapers) if settings.run is None else [settings.run]
        self._forget_all_but(runs)
        took = owns = leaves = False
        for run in runs:
            with suppress(NotFound):  # the run was removed, or this worker declared lost
                found = self._found(store, run)
                before = {each.name for each in found if each.owner_id == worker_id}
                after = self._take(store, run, found, worker_id, has_room=has_room)
                took = took or not after <= before
                owns = owns or bool(after)
                leaves = leaves or any(each.leaving and each.name in before for each in found)
        return PartitionsLooked(took, owns, leaves)

    def _forget_all_but(self, runs: Collection[str]) -> None:
        self._planned.intersection_update(runs)
        self._announced = {each for each in self._announced if each[1] in runs}
        self._served = {run: self._served.get(run, set()) for run in runs}

    def _found(self, store: Store, run: str) -> list[Partition]:
        """The partitions of a run, as they are planned now."""
        found = store.partitions.find(run)
        if found and self._settings.partitions is None and self._plan(store, run, found):
            found = store.partitions.find(run)
        return found

    def hand_over(self, worker_id: int) -> None:
        """Free what the planned workers ask for, where the claims are made; the engine is told."""
        self._writer.hand_over_partitions(worker_id).add_done_callback(self._left)

    def _left(self, done: Future[list[str]]) -> None:
        names = [] if done.cancelled() or done.exception() else done.result()
        if names:
            _log.info("handed over to their planned workers: %s", ", ".join(names))
        self._mailbox.post(PartitionsLeft(names))

    def _take(
        self,
        store: Store,
        run: str,
        found: Collection[Partition],
        worker_id: int,
        *,
        has_room: bool,
    ) -> set[str]:
        """Returns all that the worker owns then."""
        owned = {each.name for each in found if each.owner_id == worker_id}
        free = {each.name for each in found if each.owner_id is None}
        named = self._settings.partitions
        if named is not None:
            wanted = sorted(free.intersection(named))
            return owned.union(store.partitions.take(worker_id, run, wanted)) if wanted else owned
        adopts, is_due = self._adopts(run, found), self._is_due(run, found, worker_id)
        self._note(run, found, worker_id)
        if is_due:
            own = set(store.partitions.take_planned(worker_id, run))
            if not own <= owned:
                return own
        may_take = adopts or has_room
        if may_take and not self._settings.only_own and free - owned:
            owned.update(store.partitions.take(worker_id, run))
        return owned

    def _adopts(self, run: str, found: Collection[Partition]) -> bool:
        """Whether a partition of these that nobody serves cannot wait until there is room: its
        owner is gone, or its planned worker has had the time to start.
        """
        served = self._served[run]
        is_left = any(each.owner_id is None and each.name in served for each in found)
        is_planned = any(each.number is not None for each in found)
        return is_planned and (is_left or monotonic() >= self._adopts_at)

    def _note(self, run: str, found: Collection[Partition], worker_id: int) -> None:
        self._served[run].update(each.name for each in found if each.owner_id is not None)
        if any(each.number == self._number for each in found):
            self._announced.add((worker_id, run))

    def _is_due(self, run: str, found: Collection[Partition], worker_id: int) -> bool:
        """Whether some that are planned for this worker are served by nobody or by another. Once in
        any case, so that others know that it serves the run.
        """
        if self._number is None or not any(each.number == self._number for each in found):
            return False
        return (worker_id, run) not in self._announced or any(
            each.number == self._number and each.owner_id != worker_id and not each.leaving
            for each in found
        )

    def _plan(self, store: Store, run: str, found: Collection[Partition]) -> bool:
        """Write down the plan that this worker was given; whether that has changed anything."""
        match self._settings.planning:
            case Plan() as plan if run not in self._planned:
                changed = store.partitions.planned(run) != plan.numbers
                if changed:
                    store.partitions.plan(run, plan.numbers)
                    _log.info(
                        "run %s: the partitions are planned for %d workers", run, len(plan.workers)
                    )
                self._planned.add(run)
                return changed
            case Balanced(workers):
                return self._balance(store, run, found, workers)
            case _:
                return False

    def _balance(self, store: Store, run: str, found: Collection[Partition], workers: int) -> bool:
        """Plan what is in no plan. A worker beyond those that were expected has all of it dealt out
        anew, once, so that it has its share.
        """
        kept = {each.name: each.number for each in found if each.number is not None}
        number = -1 if self._number is None else self._number
        is_extra = number >= workers and number > max(kept.values(), default=-1)
        is_extra = is_extra and run not in self._planned
        self._planned.add(run)
        if not is_extra and len(kept) == len(found):
            return False
        counts = store.partitions.counts(run)
        pending = {name: each.waiting + each.running for name, each in counts.items()}
        if is_extra:
            store.partitions.plan(run, balanced(pending, number + 1).numbers)
        else:
            store.partitions.plan_new(run, balanced(pending, workers, kept).numbers)
        return True
