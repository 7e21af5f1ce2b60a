"""A job: one query to many sources at once, of which none can hold up the others."""

import asyncio
import errno
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from swather.builtin.media import job_log
from swather.builtin.media.asking import Asked, Unused, ask
from swather.builtin.media.direct import NAME as DIRECT
from swather.builtin.media.direct import Direct
from swather.builtin.media.download import Fetched
from swather.builtin.media.ending import ended_of
from swather.builtin.media.log import DownloadLog, Line
from swather.builtin.media.memory import Answer, Claims, Memory
from swather.builtin.media.publishing import file_item, file_name
from swather.builtin.media.query import Query
from swather.builtin.media.results import Ended, job_item
from swather.builtin.media.sources import registry
from swather.builtin.media.sources.source import Source, SourceFailed, Wanted
from swather.errors import (
    Permanent,
)
from swather.scraping.context import Context

_UNWRITABLE: Final = frozenset(
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST}
)


class Job:
    """One attempt on a query. `environment` has the keys of sources."""

    def __init__(
        self,
        ctx: Context,
        query: Query,
        environment: Mapping[str, str],
        log: DownloadLog,
        claims: Claims,
    ) -> None:
        self._ctx = ctx
        self._query = query
        self._environment = environment
        self._log = log
        self._claims = claims
        self._id = f"{ctx.run.name}/{ctx.task.id}"
        self._sources = (
            (DIRECT,)
            if query.urls
            else query.params.named_sources or registry.asked_by_default(environment)
        )
        done = msgspec.convert(ctx.cursor or {}, dict[str, Ended])
        self._ended = {name: done[name] for name in self._sources if name in done}
        self._slots = asyncio.Semaphore(query.params.at_once)
        self._publishing = asyncio.Lock()
        self._wanted = Wanted(
            query=query.text,
            limit=len(query.urls) or query.params.per_source,
            kinds=frozenset({"image", "video"}) if query.urls else query.params.kinds,
            min_width=query.params.min_width,
            min_height=query.params.min_height,
            types=query.params.wanted_types,
            licence=query.params.licence,
        )
        self._memory = Memory(ctx, self._id, self._wanted, claims)
        self._published: set[str] = set()

    async def run(self) -> None:
        """Ask all sources that an earlier attempt has not finished; emit the results."""
        try:
            await self._run()
        except BaseException:
            self._claims.drop(self._id)
            raise

    async def _run(self) -> None:
        began = time.monotonic()
        left = [name for name in self._sources if name not in self._ended]
        start = job_log.job_resume if self._ended else job_log.job_start
        await self._write([start(self._id, self._query.text, left)])
        await self._report()
        await self._use_cached(left)
        try:
            async with asyncio.TaskGroup() as asking:
                for name in left:
                    if name not in self._ended:
                        asking.create_task(self._ask(name))
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None
        ended = {name: self._ended[name] for name in self._sources}
        item = job_item(
            job_id=self._id,
            query=self._query.text,
            ended=ended,
            seconds=time.monotonic() - began,
        )
        await self._write(list(job_log.job_complete(self._id, item["results"])))
        if not item["results"]["successful_sources"]:
            # A retry asks all of them again.
            await self._ctx.checkpoint({})
            raise _failure(ended)
        self._ctx.emit(item)

    async def _use_cached(self, names: Sequence[str]) -> None:
        """End the sources that answered the same question not long ago with what they said then."""
        params = self._query.params
        if not params.cache_seconds or self._query.urls:
            return
        places = [(name, params.source_url.get(name, "")) for name in names]
        cached = await self._memory.answers(places, params.cache_seconds)
        lines: list[Line] = []
        for name, answer in cached.items():
            for item in answer.items:
                self._ctx.emit({**item, "cached": True})
            self._ended[name] = answer.ended
            lines += job_log.source_lines(self._id, name, answer.ended, [], [])
        if cached:
            await self._commit(lines)

    async def _ask(self, name: str) -> None:
        params = self._query.params
        async with self._slots:
            try:
                source = self._source(name)
                source.check_offers(self._wanted)
            except SourceFailed as error:
                asked = Asked(error)
            else:
                asked = await ask(
                    self._ctx, source, self._wanted, params.limits_of(name), params.max_file_bytes
                )
        async with self._publishing:
            await self._publish(name, asked)

    def _source(self, name: str) -> Source:
        if name == DIRECT:
            return Direct(self._query.urls)
        url = self._query.params.source_url.get(name, "")
        return registry.source_named(name)(base_url=url, key=self._key(name))

    def _key(self, name: str) -> str:
        variable = None if name == DIRECT else registry.source_named(name).key_name
        return self._environment.get(variable, "") if variable else ""

    async def _publish(
        self,
        name: str,
        asked: Asked,
    ) -> None:
        """Commit all of a source together: its files, their items, and that it is finished."""
        params = self._query.params
        fresh, again = await self._without_duplicates(asked.files)
        named = [(file_name(self._query.folder, file), file) for file in fresh]
        items = [file_item(self._query.text, saved_as, file) for saved_as, file in named]
        for (saved_as, file), item in zip(named, items, strict=True):
            await self._save(file, saved_as)
            self._ctx.emit(item)
            self._memory.add_file(file.sha256, saved_as)
            file.discard()
        ended = ended_of(
            asked,
            fresh,
            len(again),
            limits=params.limits_of(name),
            limit=self._wanted.limit,
            key=self._key(name),
        )
        if ended.stats.success and params.cache_seconds and not self._query.urls:
            place = params.source_url.get(name, "")
            answer = Answer(msgspec.structs.replace(ended, how="cached"), items)
            self._memory.add_answer(name, place, answer)
        self._ended[name] = ended
        unused = [*asked.unused, *again]
        await self._commit(job_log.source_lines(self._id, name, ended, named, unused))

    async def _save(self, file: Fetched, name: str) -> None:
        try:
            await self._ctx.save(file.path, name=name, media_type=file.type.media_type)
        except OSError as error:
            if error.errno not in _UNWRITABLE:
                raise
            raise Permanent(
                f"no files can be saved in {error.filename}: {error.strerror}",
                reason="unwritable_folder",
            ) from error

    async def _commit(self, lines: Iterable[Line]) -> None:
        """What was emitted belongs to sources that have ended; an only one is committed with the
        result.
        """
        if len(self._sources) > 1:
            await self._ctx.checkpoint(msgspec.to_builtins(self._ended))
        await self._write(list(lines))
        await self._report()

    async def _without_duplicates(
        self, files: Sequence[Fetched]
    ) -> tuple[list[Fetched], list[Unused]]:
        """Those that are new, and those that were published before, by this job or another."""
        if self._query.params.duplicates == "keep":
            return list(files), []
        known = await self._memory.published(files)
        fresh, again = [], []
        for file in files:
            if file.sha256 in known or file.sha256 in self._published:
                same = known.get(file.sha256, "another file of this job")
                again.append(Unused(file.found.url, "duplicate", f"it is the same as {same}"))
                file.discard()
            else:
                self._published.add(file.sha256)
                fresh.append(file)
        return fresh, again

    async def _report(self) -> None:
        await self._ctx.progress(done=len(self._ended), total=len(self._sources))

    async def _write(self, lines: Sequence[Line]) -> None:
        await asyncio.to_thread(self._log.write, lines)


def _failure(ended: Mapping[str, Ended]) -> Permanent:
    """Of a job in which no source has worked."""
    reasons = {one.reason for one in ended.values()}
    if len(ended) == 1:
        (only,) = ended.values()
        return Permanent(only.stats.error or "", reason=only.reason)
    errors = [f"{name}: {one.stats.error}" for name, one in ended.items()]
    if reasons == {"unreachable"}:
        said = f"no source can be reached, is there a network? {errors[0]}"
        return Permanent(said, reason="no_network")
    return Permanent("; ".join(errors), reason=min(reasons) if len(reasons) == 1 else "no_source")
