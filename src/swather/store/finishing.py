"""Converts outcomes to the rows that a finish writes, the same for both databases."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from swather.model.outcome import (
    MAX_MESSAGE_CHARACTERS,
    Cancelled,
    Completed,
    EncodedItem,
    Failed,
    Fault,
    File,
    Item,
    LogLine,
    Memory,
    Outcome,
    Released,
    Retry,
)
from swather.model.payload import MAX_ITEM_BYTES, MAX_MEMORY_BYTES, encode, storable
from swather.model.proxy_url import address_of
from swather.model.retry import ErrorClass, Faults
from swather.model.run import REASON_PREFIX
from swather.model.source import SourceNote
from swather.model.task import LOGGED, EventKind, EventLevel, State, Target, check_name
from swather.store.batching import Row, rows_of
from swather.store.checks import check_seconds
from swather.store.finish_rows import (
    EventRow,
    FaultRow,
    FileRow,
    GroupRow,
    HeldLease,
    ItemRow,
    MemoryRow,
    OutcomeRow,
    Prepared,
    WaitingRow,
)
from swather.store.rejection_rows import RejectionRow, checked_rejections
from swather.store.source_rows import Noted, check_note


class Plan:
    """All rows that one finish writes, by table."""

    def __init__(self, level: EventLevel) -> None:
        self._logged = LOGGED[level]
        self.outcomes: list[OutcomeRow] = []
        self.items: list[ItemRow] = []
        self.files: list[FileRow] = []
        self.memories: list[MemoryRow] = []
        self.rejections: list[RejectionRow] = []
        self.sources: list[Noted] = []
        self.faults: list[FaultRow] = []
        self.groups: dict[tuple[int, str], GroupRow] = {}
        self.waiting: list[WaitingRow] = []
        self.events: list[EventRow] = []
        self.replaced: list[int] = []
        self.outdated: list[int] = []
        self.children: dict[int, list[Row]] = defaultdict(list)
        self._changes: dict[tuple[int, str], int] = defaultdict(int)
        self._no_longer_leased: dict[int, int] = defaultdict(int)

    def add(self, outcome: Outcome, lease: HeldLease, prepared: Prepared) -> None:
        self._no_longer_leased[lease.run_id] += 1
        match outcome:
            case Completed():
                self._complete(outcome, lease, prepared)
            case Retry() if outcome.fault.error_class is ErrorClass.LATER:
                self._postpone(outcome, lease)
            case Retry():
                self.note(lease, outcome.sources)
                self._keep_log(outcome.log, lease)
                message = clipped(outcome.fault.message)
                self._blame(outcome.fault, lease, message)
                self._wait(lease, outcome.after_seconds)
                self.count(lease.run_id, "retries", 1)
                self.log(
                    EventKind.RETRY, lease, message, fault=outcome.fault, egress=outcome.egress
                )
            case Released():
                self._wait(lease, outcome.after_seconds)
                self.log(EventKind.RELEASED, lease)
            case Cancelled():
                self._end(outcome.state, outcome.reason, lease)
                self.log(EventKind.CANCELLED, lease, outcome.reason)
            case _:
                if lease.replaces:
                    self.outdated.append(lease.task_id)
                self.note(lease, outcome.sources)
                self._keep_log(outcome.log, lease)
                message = clipped(outcome.message)
                self._blame(outcome.fault, lease, message)
                self._end(outcome.state, outcome.reason, lease)
                self.log(
                    EventKind.FAILED, lease, message, fault=outcome.fault, egress=outcome.egress
                )

    def _complete(self, outcome: Completed, lease: HeldLease, prepared: Prepared) -> None:
        if outcome.log:
            self._keep_log(outcome.log, lease)
        if outcome.sources:
            self.note(lease, outcome.sources)
        if outcome.dropped:
            self.count(lease.run_id, "dropped", outcome.dropped)
        if outcome.skipped:
            self.count(lease.run_id, "skipped", outcome.skipped)
        if lease.replaces:
            self.replaced.append(lease.task_id)
        self._end(State.COMPLETED, outcome.reason, lease)
        if prepared is not NOTHING:
            self.produce(lease, outcome.part, prepared)
        if EventKind.COMPLETED in self._logged:
            self.log(EventKind.COMPLETED, lease, outcome.reason, egress=outcome.egress)

    def _postpone(self, outcome: Retry, lease: HeldLease) -> None:
        """The scraper asked for another time. Nothing failed, so this is in no group of errors."""
        message = clipped(outcome.fault.message)
        self._keep_log(outcome.log, lease)
        self.faults.append(
            FaultRow(
                lease.task_id, lease.run_id, lease.token, 0, 0, 0, 0, 0, 1,
                outcome.fault.error_class, "", message, "", "",
            )
        )  # fmt: skip
        self._wait(lease, outcome.after_seconds)
        self.count(lease.run_id, "postponed", 1)
        self.log(EventKind.RELEASED, lease, message)

    def _keep_log(self, lines: Sequence[LogLine], lease: HeldLease) -> None:
        """Whatever the level: a scraper's lines have a setting of their own."""
        for line in lines:
            self.events.append(
                EventRow(
                    EventKind.PROGRESS, lease.run_id, lease.task_id, lease.worker_id,
                    clipped(line.message), encode({"level": line.level}),
                )
            )  # fmt: skip

    def produce(self, lease: HeldLease, part: int, prepared: Prepared) -> None:
        for seq, (key, data) in enumerate(prepared.items):
            self.items.append(ItemRow(lease.run_id, lease.task_id, part, seq, key, data))
        for seq, file in enumerate(prepared.files):
            self.files.append(
                FileRow(
                    lease.run_id, lease.task_id, part, seq,
                    file.name, file.sha256, file.size_bytes, file.media_type,
                )
            )  # fmt: skip
        if prepared.children:
            self.children[lease.run_id].extend(prepared.children)
        for reason, n in prepared.rejected:
            self.rejections.append(RejectionRow(lease.run_id, lease.task_id, part, reason, n))
        for key, value in prepared.memories:
            self.memories.append(MemoryRow(lease.run_id, key, value))

    def note(self, lease: HeldLease, notes: Sequence[SourceNote]) -> None:
        """What an attempt has asked of sources, whether it succeeded or not."""
        self.sources += [(lease.run_id, note) for note in notes]

    def count(self, run_id: int, name: str, change: int) -> None:
        self._changes[run_id, name] += change

    @property
    def deltas(self) -> dict[tuple[int, str], int]:
        """Counter changes by (run, name)."""
        deltas = defaultdict(int, self._changes)
        for run_id, count in self._no_longer_leased.items():
            deltas[run_id, State.LEASED] -= count
        ends = Counter((row.run_id, row.state, row.reason) for row in self.outcomes)
        for (run_id, state, reason), count in ends.items():
            deltas[run_id, state] += count
            deltas[run_id, REASON_PREFIX + reason] += count
        return deltas

    def log(
        self,
        kind: EventKind,
        lease: HeldLease,
        message: str = "",
        *,
        fault: Fault | None = None,
        egress: str = "",
    ) -> None:
        if kind not in self._logged:
            return
        said: dict[str, str] = {}
        if fault is not None:
            said = {"class": fault.error_class, "group": fault.fingerprint}
            egress = egress or address_of(fault.egress)
        if egress:
            said["egress"] = egress
        self.events.append(
            EventRow(
                kind, lease.run_id, lease.task_id, lease.worker_id, message,
                encode(said) if said else None,
            )
        )  # fmt: skip

    def _end(self, state: State, reason: str, lease: HeldLease) -> None:
        task_id, token, worker_id, run_id = lease[:4]
        self.outcomes.append(OutcomeRow(task_id, run_id, token, state, reason, worker_id))

    def _wait(self, lease: HeldLease, due_in_seconds: float) -> None:
        self.waiting.append(
            WaitingRow(lease.task_id, lease.run_id, lease.head_id, lease.priority, due_in_seconds)
        )
        self.count(lease.run_id, State.SCHEDULED if due_in_seconds > 0 else State.READY, 1)

    def _blame(self, fault: Fault, lease: HeldLease, message: str) -> None:
        """Note what went wrong with a task, in words (`message`), and with its group."""
        added = Faults().plus(fault.error_class, alone=fault.alone)
        traceback = clipped(fault.traceback)
        fingerprint = fault.fingerprint
        self.faults.append(
            FaultRow(
                lease.task_id, lease.run_id, lease.token,
                added.attempts, added.blocked, added.proxy, added.crashes, added.crashes_alone,
                added.postponed, fault.error_class, fingerprint, message, traceback,
                f" {fault.egress}" if fault.egress else "",
            )
        )  # fmt: skip
        place = lease.run_id, fingerprint
        times = self.groups[place].times if place in self.groups else 0
        self.groups[place] = GroupRow(
            lease.run_id, fingerprint, fault.error_class, clipped(fault.title),
            clipped(fault.where), times + 1, lease.task_id, clipped(fault.message), traceback,
        )  # fmt: skip


def prepare(outcome: Outcome) -> Prepared:
    """Encode what an outcome carries; raises before anything is written."""
    match outcome:
        case Completed():
            for note in outcome.sources:
                check_note(note)
            if outcome.reason != "ok":
                check_name("reason", outcome.reason)
            return prepare_results(
                outcome.items, outcome.children, outcome.files, outcome.memories, outcome.rejected
            )
        case Retry() | Released():
            check_seconds("after_seconds", outcome.after_seconds)
        case _:
            check_name("reason", outcome.reason)
    if isinstance(outcome, Retry | Failed):
        for note in outcome.sources:
            check_note(note)
    return NOTHING


def prepare_results(
    items: Sequence[Item],
    children: Iterable[Target],
    files: Sequence[File],
    memories: Sequence[Memory] = (),
    rejected: Mapping[str, int] = MappingProxyType({}),
) -> Prepared:
    if not (items or children or files or memories or rejected):
        return NOTHING
    encoded = [
        (
            check_name("item key", item.key) if item.key is not None else None,
            item.data
            if type(item) is EncodedItem
            else encode(item.data, what="item", max_bytes=MAX_ITEM_BYTES),
        )
        for item in items
    ]
    for file in files:
        check_name("file name", file.name)
        check_name("file sha256", file.sha256)
        check_name("file media_type", file.media_type)
    rows = rows_of(children) if children else []
    remembered = [
        (
            check_name("memory key", memory.key),
            encode(memory.value, what="memory", max_bytes=MAX_MEMORY_BYTES),
        )
        for memory in memories
    ]
    kept_out = checked_rejections(rejected) if rejected else []
    return Prepared(encoded, list(files), rows, remembered, kept_out)


NOTHING: Final = Prepared([], [], [], [], [])


def clipped(text: str) -> str:
    """Text of bounded length that every database can hold."""
    return storable(text[:MAX_MESSAGE_CHARACTERS])
