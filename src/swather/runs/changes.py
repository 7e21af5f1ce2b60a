"""Compares two runs of a scraper: what is new, gone or changed since the older one.

The items of both are sorted on disk and merged, so that millions need no more memory than some. An
item that one run lacks is new or gone only if that run has looked where it was found.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from typing import Final

from swather.errors import InputError, NotFound
from swather.model.change import Change, ChangeCounts, ChangeKind, Doubt, doubt_about
from swather.model.difference import FieldChange, differences
from swather.model.payload import decode
from swather.model.run import Run, RunState
from swather.runs.disk_sort import DiskSort, Record
from swather.runs.matching import MatchedBy, Matcher, matched_by, shown_key, task_of
from swather.runs.pairing import Pairing
from swather.runs.run_names import find_run
from swather.runs.table import row_of
from swather.runs.words import command
from swather.store import Store

SHOWN_KINDS: Final = frozenset({ChangeKind.NEW, ChangeKind.GONE, ChangeKind.CHANGED})
_BATCH: Final = 500
_MOST: Final = 5_000
_BATCH_BYTES: Final = 8 << 20
_RUNS_A_PAGE: Final = 100

# What differs between two items, before it is known where they come from.
_Found = tuple[Record | None, Record | None, list[FieldChange]]


class Changes:
    """Iterating over it, once, gives the changes of the kinds that are wanted, in the order of
    their keys; `counts` and what is matched how are complete afterwards.

    `ignored` are fields that may change; a change of a number by less than `min_percent` is none.
    """

    def __init__(
        self,
        store: Store,
        run: Run,
        since: Run,
        *,
        key: Sequence[str] = (),
        ignored: Collection[str] = (),
        min_percent: float = 0,
        only: Collection[ChangeKind] = SHOWN_KINDS,
    ) -> None:
        if run.id == since.id:
            raise InputError(
                f"run {run.name} cannot be compared with itself; leave out --since to compare it "
                "with the one before"
            )
        self._store = store
        self.run = run
        self.since = since
        self._key = tuple(key)
        self._ignored = frozenset(ignored)
        self._min_percent = min_percent
        self._only = frozenset(only)
        self._numbers: Counter[str] = Counter()
        self._doubts: Counter[Doubt] = Counter()
        self.matched: dict[str, Counter[MatchedBy]] = {}
        self._positions: dict[str, str] = {}
        self.repeated = 0
        self.crowded = 0

    @property
    def counts(self) -> ChangeCounts:
        return ChangeCounts(**self._numbers, doubts=dict(self._doubts))

    def __iter__(self) -> Iterator[Change]:
        with ExitStack() as stack:
            older, newer = (
                stack.enter_context(self._sorted(run.name)) for run in (self.since, self.run)
            )
            pairing = Pairing(older, newer)
            for batch in self._batches(pairing):
                yield from self._named(batch)
                self.repeated, self.crowded = pairing.repeated, pairing.crowded

    def _sorted(self, run: str) -> DiskSort:
        sort = DiskSort()
        matcher = Matcher(self._store, run, self._key)
        try:
            matcher.read_into(sort)
        except BaseException:
            sort.close()
            raise
        self.matched[run] = matcher.counts
        self._positions[run] = matcher.position
        return sort

    def _batches(self, pairing: Pairing) -> Iterator[list[_Found]]:
        """What differs, some at a time; the last may be empty. What has one match stays together,
        if that is not too much.
        """
        batch: list[_Found] = []
        size, last = 0, b""
        for before, after in pairing:
            changes = self._compared(before, after)
            if changes is None:
                self._numbers["same"] += 1
                continue
            match = _match_of(before, after)
            is_full = len(batch) >= _BATCH or size > _BATCH_BYTES
            if is_full and (match != last or len(batch) >= _MOST):
                yield batch
                batch, size = [], 0
            batch.append((before, after, changes))
            size += sum(len(record[2]) for record in (before, after) if record is not None)
            last = match
        yield batch

    def _compared(self, before: Record | None, after: Record | None) -> list[FieldChange] | None:
        """None if the items are the same."""
        if before is None or after is None:
            return []
        if before[2] == after[2]:
            return None
        found = differences(row_of(decode(before[2])), row_of(decode(after[2])), self._ignored)
        large = [change for change in found if not self._is_minor(change)]
        if found and not large:
            self._numbers["minor"] += 1
        return large or None

    def _is_minor(self, change: FieldChange) -> bool:
        return change.percent is not None and abs(change.percent) < self._min_percent

    def _named(self, batch: list[_Found]) -> Iterator[Change]:
        tasks = {task_of(record[1]) for old, new, _ in batch if (record := new or old)}
        identities = self._store.results.identities(tasks)
        gone = self._doubted([old for old, new, _ in batch if old and not new], is_gone=True)
        added = self._doubted([new for old, new, _ in batch if new and not old], is_gone=False)
        for before, after, changes in batch:
            record = after or before
            if record is None:
                continue
            doubt = None
            if after is None:
                kind, doubt = ChangeKind.GONE, gone[record]
            elif before is None:
                kind, doubt = ChangeKind.NEW, added[record]
            else:
                kind = ChangeKind.CHANGED
            if doubt is not None:
                kind = ChangeKind.UNKNOWN
                self._doubts[doubt] += 1
            self._numbers[kind] += 1
            if kind not in self._only:
                continue
            identity = identities.get(task_of(record[1]))
            yield Change(
                kind=kind,
                key=shown_key(record[0]),
                target=None if identity is None else identity.target,
                before=None if before is None else decode(before[2]),
                after=None if after is None else decode(after[2]),
                changes=changes,
                doubt=doubt,
            )

    def _doubted(self, records: list[Record], *, is_gone: bool) -> dict[Record, Doubt | None]:
        """Why the other run may have missed these items, which one of the runs lacks. What was
        found at several places is in doubt if it is at one of them.
        """
        own, other = (self.since, self.run) if is_gone else (self.run, self.since)
        keys = [record[0][1:].decode() for record in records if _has_key(record)]
        also = self._store.results.also_found_by(own.name, keys) if keys else {}
        tasks_of: dict[bytes, list[int]] = defaultdict(list)
        for record in records:
            tasks_of[record[0]].append(task_of(record[1]))
            if _has_key(record):
                tasks_of[record[0]] += also.get(record[0][1:].decode(), [])
        tasks = {task for several in tasks_of.values() for task in several}
        read_to = self._positions[other.name]
        found = self._store.results.counterparts(tasks, other.name, after=read_to) if tasks else {}
        counts = self._store.runs.counts(other.name) if tasks else None
        has_left_out = counts is not None and bool(counts.over_limit or counts.skipped)
        doubts = {
            task: doubt_about(found.get(task), has_left_out=has_left_out, was_asked_for=is_gone)
            for task in tasks
        }
        return {
            record: next((doubts[task] for task in tasks_of[record[0]] if doubts[task]), None)
            for record in records
        }


def compared(
    store: Store,
    run: Run,
    since: str | None,
    *,
    key: Sequence[str] = (),
    ignored: Collection[str] = (),
    min_percent: float = 0,
    only: Collection[ChangeKind] = (),
) -> Changes:
    """The changes of a run since the one that is named; without a name, since the last finished run
    of its scraper before it.
    """
    return Changes(
        store,
        run,
        _previous(store, run) if since is None else find_run(store, since),
        key=key,
        ignored=ignored,
        min_percent=min_percent,
        only=only or SHOWN_KINDS,
    )


def _previous(store: Store, run: Run) -> Run:
    before_id = run.id
    while page := store.runs.find(before_id=before_id, limit=_RUNS_A_PAGE):
        for other in page:
            if other.scraper == run.scraper and other.state is RunState.FINISHED:
                return other
        before_id = page[-1].id
    raise NotFound(
        f"no run of {run.scraper} finished before {run.name}, so there is nothing to compare it "
        f"with; `{command('runs', url=store.url)}` lists all, and --since names another one"
    )


def _match_of(before: Record | None, after: Record | None) -> bytes:
    record = before or after
    return b"" if record is None else record[0]


def _has_key(record: Record) -> bool:
    return matched_by(record[0]) is MatchedBy.KEY
