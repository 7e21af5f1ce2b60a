"""What a scraper is given: its target, and the verbs to work on it."""

import asyncio
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from swather.errors import BadPayload, InputError
from swather.masking import masked
from swather.model.lease import Lease
from swather.model.outcome import EncodedItem, File, Item, Memory
from swather.model.payload import MAX_MEMORY_BYTES, encode, encode_item
from swather.model.rejection import add_rejections
from swather.model.source import Answer, SourceNote, SourceState
from swather.model.task import Target, check_name
from swather.net.page import join
from swather.scraping.attempt import Collected, Content, RunInfo, TaskInfo, TaskLog, Verbs
from swather.scraping.browsing import BrowsingWeb
from swather.scraping.hooks import DROPPED
from swather.scraping.scraper import Scraper
from swather.scraping.targets import target_of
from swather.store.batching import row_of
from swather.store.checks import check_recall
from swather.store.source_rows import check_note, check_source, checked_progress

__all__ = ["Collected", "Context", "RunInfo", "TaskInfo", "TaskLog", "Verbs"]


class Context(BrowsingWeb):
    """One attempt on one target, as an async scraper sees it."""

    __slots__ = (
        "_children",
        "_files",
        "_items",
        "_memories",
        "_part",
        "_rejected",
        "_saving",
        "target",
    )

    def __init__(
        self, *, scraper: Scraper, lease: Lease, run: RunInfo, params: Any, verbs: Verbs
    ) -> None:
        super().__init__(scraper=scraper, lease=lease, run=run, params=params, verbs=verbs)
        self.target = lease.target
        self._part = lease.part
        self._saving: asyncio.Lock | None = None
        self._items: list[Item] = []
        self._children: list[Target] = []
        self._files: list[File] = []
        self._memories: list[Memory] = []
        self._rejected: dict[str, int] = {}

    @property
    def url(self) -> str:
        """The target's URL; InputError when it has none."""
        return self._absolute(None)

    @property
    def task(self) -> TaskInfo:
        lease = self._lease
        return TaskInfo(
            lease.task_id,
            lease.token,
            lease.priority,
            lease.lane,
            lease.partition,
            lease.parent_id,
            lease.faults.attempts,
        )

    @property
    def attempt(self) -> int:
        """1 for the first execution."""
        return self._lease.attempt

    @property
    def cursor(self) -> Any:
        """What the last checkpoint of an earlier attempt left, or None."""
        return self._lease.cursor

    def follow(
        self, url: str | None, *, priority: int | None = None, key: str | None = None
    ) -> bool:
        """Add the page a link leads to as a target of this run.

        Relative links start at the last page. False if it does not lead to a web page ('mailto:…').
        """
        if not isinstance(url, str | None):
            raise TypeError(f"follow takes a link, got {url!r}; ctx.add takes any target")
        link = join(self._base(), url) if url is not None else ""
        if not link:
            self.log.debug("not followed: %r is not a link to a web page", url)
            return False
        self.add(link, priority=priority, key=key)
        return True

    def add(
        self,
        target: Any,
        *,
        key: str | None = None,
        priority: int | None = None,
        lane: str | None = None,
        partition: str | None = None,
        due_in_seconds: float = 0.0,
    ) -> None:
        """Add a target to this run; it is committed with this one's result.

        Priority and partition are this task's own unless the scraper or the caller names others.
        """
        self._check_usable()
        lease = self._lease
        if partition is None and self._scraper.options.partition is None:
            partition = lease.partition
        child = target_of(
            self._scraper,
            target,
            key=key,
            priority=lease.priority if priority is None else priority,
            lane=lane,
            partition=partition,
            due_in_seconds=due_in_seconds,
            parent_id=lease.task_id,
        )
        row_of(child)
        self._children.append(child)

    def emit(self, item: Any, key: str | None = None) -> None:
        """Add a row to the results, unless a hook drops it; with a `key`, only the first of the
        run is kept.
        """
        self._check_usable()
        if key is not None:
            if not key:
                raise BadPayload(f"an item's key must not be empty, got {key!r}")
            check_name("item key", key)
        if self._scraper.hooks.items and (item := self._scraper.hooks.passed(item)) is DROPPED:
            self._verbs.notes.drop()
            return
        # Made first: while it is, a checkpoint in another thread may take the list away.
        made = EncodedItem(encode_item(item), key)
        self._items.append(made)

    def reject(self, reason: str, count: int = 1) -> None:
        """Count rows that are left out of the results, and why. It is committed with the items;
        `status` and the summary of the run show how many there were for each reason. Of more than
        50 different reasons of one target, further ones are counted as 'other'.
        """
        self._check_usable()
        if count < 0:
            raise InputError(f"reject takes how many rows are left out, got {count!r}")
        add_rejections(self._rejected, reason, count)

    def skip(self, count: int = 1) -> None:
        """Count targets that are left out on purpose, such as those that an earlier run has done.
        `status` and the summary of the run show them once this target has completed.
        """
        self._check_usable()
        if count < 0:
            raise InputError(f"skip takes how many targets are left out, got {count!r}")
        self._verbs.notes.skip(count)

    async def save(self, content: Content, name: str | None = None, media_type: str = "") -> File:
        """Store a file, from bytes, from a path or from a download, whose file is moved. Its name,
        which may have folders, appears with the result.
        """
        self._check_usable()
        if not isinstance(content, Content):
            raise InputError(
                f"save() takes bytes, a pathlib.Path or a download, got {type(content).__name__}; "
                "encode text first, wrap a path in Path()"
            )
        if name is not None and not isinstance(name, str):
            raise InputError(f"a file's name must be text, got {name!r}")
        file = await self._verbs.save(content, name, media_type)
        self._files.append(file)
        return file

    async def files_named(self, names: Iterable[str]) -> set[str]:
        """Those of the names that files in the run's folder have: as they were given to `save`,
        and as long as nobody has removed the files.
        """
        wanted = list(names)
        return await self._verbs.files_named(wanted) if wanted else set()

    def remember(self, key: str, value: Any = None) -> None:
        """Remember a small JSON value under a key, for every later target and run of this scraper.
        It is committed with the result; the last value of a key stays.
        """
        self._check_usable()
        check_name("key", key)
        text = encode(value, what=f"the value of {key!r}", max_bytes=MAX_MEMORY_BYTES)
        self._memories.append(Memory(key, msgspec.Raw(text)))

    async def recall(self, keys: Iterable[str], *, max_age: float | None = None) -> dict[str, Any]:
        """What this scraper has remembered under these keys and committed, in this or an earlier
        run, at most `max_age` seconds ago.
        """
        self._check_usable()
        if isinstance(keys, str):
            raise InputError(f"recall takes a list of keys, got {keys!r}; write recall([{keys!r}])")
        wanted = list(dict.fromkeys(keys))
        check_recall(wanted, max_age)
        return await self._verbs.recall(wanted, max_age) if wanted else {}

    async def ask_source(self, name: str) -> SourceState:
        """Ask whether a source may be asked now. If `is_open` of the answer is true, skip it:
        it has failed several times in a row, and `retry_in` says for how many seconds to leave it.
        """
        self._check_usable()
        state = await self._verbs.ask_source(check_source(name))
        if state.is_open:
            self._verbs.notes.sources.append(SourceNote(name=name, answer=Answer.SKIPPED))
        return state

    def note_source(
        self,
        name: str,
        *,
        ok: bool,
        seconds: float,
        error: str = "",
        counts: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Note how a source answered: an API, a mirror, a search engine. It is committed with the
        result, the next checkpoint or the failure of this attempt; `swather sources` shows it.
        """
        self._check_usable()
        note = SourceNote(
            name=name,
            answer=Answer.SUCCEEDED if ok else Answer.FAILED,
            seconds=seconds,
            error="" if ok else masked(str(error)) or "it gave no reason",
            counts=dict(counts),
        )
        check_note(note)
        self._verbs.notes.sources.append(note)

    async def checkpoint(self, cursor: Any) -> None:
        """Commit what was produced so far, and `cursor` as the place to resume from. Concurrent
        calls take turns.
        """
        self._check_usable()
        encode(cursor, what="cursor")
        if self._saving is None:
            self._saving = asyncio.Lock()
        async with self._saving:
            await self._save(cursor)

    async def progress(
        self,
        done: float | None = None,
        total: float | None = None,
        note: str = "",
        *,
        sources: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        """Report how far this target is; `swather why TASK` shows it. `sources` says the same of
        each source: `{"api": {"state": "asking", "done": 3, "total": 20}}`.
        """
        self._check_usable()
        reported = checked_progress(sources) if sources is not None else None
        fields = {"done": done, "total": total, "note": note or None, "sources": reported}
        data = {name: value for name, value in fields.items() if value is not None}
        encode(data, what="progress")
        await self._verbs.progress(data)

    async def sleep(self, seconds: float) -> None:
        self._check_usable()
        await asyncio.sleep(seconds)

    def collected(self) -> Collected:
        """What was produced since the last checkpoint."""
        if self._saving is not None and self._saving.locked():
            raise InputError(
                "the scraper returned while a checkpoint was being saved; await ctx.checkpoint(…), "
                "or wait for the threads that call it"
            )
        return self._collected()

    async def _save(self, cursor: Any) -> None:
        """A part that may or may not have been committed is sent again under the same number."""
        sent = self._collected()
        self._items, self._children, self._files, self._memories = [], [], [], []
        self._rejected = {}
        try:
            await self._verbs.checkpoint(cursor, sent)
        except BaseException:
            self._items = sent.items + self._items
            self._children = sent.children + self._children
            self._files = sent.files + self._files
            self._memories = sent.memories + self._memories
            later, self._rejected = self._rejected, dict(sent.rejected)
            for reason, count in later.items():
                add_rejections(self._rejected, reason, count)
            raise
        self._part += 1

    def _collected(self) -> Collected:
        return Collected(
            self._items, self._children, self._files, self._memories, self._part, self._rejected
        )
