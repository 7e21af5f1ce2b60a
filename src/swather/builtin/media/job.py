"""A job: one query to many sources at once, of which none can hold up the others."""

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from swather.builtin.media import job_log
from swather.builtin.media.asking import Asked, Asking
from swather.builtin.media.choice import sources_of, wanted_by
from swather.builtin.media.direct import NAME as DIRECT
from swather.builtin.media.direct import Direct
from swather.builtin.media.ending import ended_of, failure_of, skipped_for
from swather.builtin.media.log import DownloadLog, Line
from swather.builtin.media.memory import Answer, Claims, Memory
from swather.builtin.media.publishing import Publisher
from swather.builtin.media.query import Query
from swather.builtin.media.results import Ended, job_item
from swather.builtin.media.sources import registry
from swather.builtin.media.sources.source import Source, SourceFailed
from swather.errors import SwatherError
from swather.model.source import SourceState
from swather.scraping.context import Context

_REPORT_SECONDS: Final = 1.0


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
        self._wanted = wanted_by(query)
        self._sources = sources_of(query, self._wanted, environment)
        done = msgspec.convert(ctx.cursor or {}, dict[str, Ended])
        self._ended = {name: done[name] for name in self._sources if name in done}
        self._asking: dict[str, Asking] = {}
        self._lines: list[Line] = []
        self._slots = asyncio.Semaphore(query.params.at_once)
        self._committing = asyncio.Lock()
        self._memory = Memory(ctx, self._id, self._wanted, claims)
        self._publisher = Publisher(ctx, query, self._memory)

    async def run(self) -> None:
        """Ask all sources that an earlier attempt has not finished; emit the results."""
        reporting = asyncio.create_task(self._report())
        try:
            await self._run()
        except BaseException:
            self._claims.drop(self._id)
            raise
        finally:
            reporting.cancel()
            # A report that cannot be made takes nothing from the job.
            with suppress(asyncio.CancelledError, SwatherError):
                await reporting

    async def _run(self) -> None:
        began = time.monotonic()
        left = [name for name in self._sources if name not in self._ended]
        start = job_log.job_resume if self._ended else job_log.job_start
        await self._write([start(self._id, self._query.text, left)])
        await self._use_cached(left)
        try:
            async with asyncio.TaskGroup() as asking:
                for name in left:
                    if name not in self._ended:
                        asking.create_task(self._ask(name))
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None
        ended = {name: self._ended[name] for name in self._sources}
        seconds = time.monotonic() - began
        item = job_item(job_id=self._id, query=self._query.text, ended=ended, seconds=seconds)
        await self._write(job_log.job_complete(self._id, item["results"]), is_last=True)
        if not (item["results"]["successful_sources"] or item["results"]["total_downloaded"]):
            # A retry asks all of them again.
            await self._ctx.checkpoint({})
            raise failure_of(ended)
        self._ctx.emit(item)

    async def _use_cached(self, names: Sequence[str]) -> None:
        """End the sources that answered the same question not long ago with what they said then."""
        if not self._is_cached:
            return
        params = self._query.params
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
        async with self._slots:
            try:
                source = self._source(name)
                source.check_offers(self._wanted)
            except SourceFailed as error:
                asked, skipped, is_asked = Asked(error), SourceState(), False
            else:
                is_asked = name != DIRECT
                skipped = await self._ctx.ask_source(name) if is_asked else SourceState()
                asked = Asked() if skipped.is_open else await self._asked(name, source)
        # Only now: what is committed here must be all of a source, and nothing of another.
        async with self._committing:
            if skipped.is_open:
                self._ended[name] = skipped_for(skipped)
                await self._commit(job_log.source_lines(self._id, name, self._ended[name], [], []))
            else:
                await self._end(name, asked, is_noted=is_asked)

    def _source(self, name: str) -> Source:
        if name == DIRECT:
            return Direct(self._query.urls)
        url = self._query.params.source_url.get(name, "")
        return registry.source_named(name)(base_url=url, key=self._key(name))

    def _key(self, name: str) -> str:
        variable = None if name == DIRECT else registry.source_named(name).key_name
        return self._environment.get(variable, "") if variable else ""

    async def _asked(self, name: str, source: Source) -> Asked:
        params = self._query.params
        limits = params.limits_of(name)
        asking = Asking(self._ctx, source, self._wanted, limits, params.max_file_bytes)
        self._asking[name] = asking
        try:
            return await asking.run()
        finally:
            del self._asking[name]

    async def _end(self, name: str, asked: Asked, *, is_noted: bool) -> None:
        """Commit all of a source together: its files, their items, and that it has ended."""
        params = self._query.params
        published = await self._publisher.publish(asked.files)
        ended = ended_of(
            asked,
            [file for _, file in published.files],
            len(published.duplicates),
            limits=params.limits_of(name),
            limit=self._wanted.limit,
            key=self._key(name),
        )
        stats = ended.stats
        if is_noted:
            self._ctx.note_source(
                name,
                ok=stats.success,
                seconds=asked.seconds,
                error=stats.error or "",
                counts=self._counts_of(ended),
            )
        if stats.success and self._is_cached:
            answer = Answer(msgspec.structs.replace(ended, how="cached"), published.items)
            self._memory.add_answer(name, params.source_url.get(name, ""), answer)
        self._ended[name] = ended
        unused = [*asked.unused, *published.duplicates]
        await self._commit(job_log.source_lines(self._id, name, ended, published.files, unused))

    def _counts_of(self, ended: Ended) -> dict[str, int]:
        """What was looked for, and what there was already."""
        counts = {"images": ended.stats.images} if "image" in self._wanted.kinds else {}
        if "video" in self._wanted.kinds:
            counts["videos"] = ended.stats.videos
        if duplicates := ended.unused.get("duplicate"):
            counts["duplicates"] = duplicates
        return counts

    @property
    def _is_cached(self) -> bool:
        return self._query.params.cache_seconds > 0 and not self._query.urls

    async def _commit(self, lines: Iterable[Line]) -> None:
        """What was emitted belongs to sources that have ended; an only one is committed with the
        result.
        """
        if len(self._sources) > 1:
            await self._ctx.checkpoint(msgspec.to_builtins(self._ended))
        await self._write(lines)

    async def _write(self, lines: Iterable[Line], *, is_last: bool = False) -> None:
        """At once, so that a person can watch a job; of files whose URLs are known all together."""
        self._lines += lines
        if is_last or not self._query.urls:
            written, self._lines = self._lines, []
            await asyncio.to_thread(self._log.write, written)

    async def _report(self) -> None:
        """Say how far the job is, as often as that changes."""
        said: dict[str, Any] = {}
        while True:
            await asyncio.sleep(_REPORT_SECONDS)
            sources = {name: self._progress_of(name) for name in self._sources}
            if sources != said:
                said = sources
                await self._ctx.progress(len(self._ended), len(sources), sources=sources)

    def _progress_of(self, name: str) -> dict[str, Any]:
        if name in self._ended:
            ended = self._ended[name]
            worked = "done" if ended.stats.success else "failed"
            state = "skipped" if ended.how == "skipped" else worked
            return {"state": state, "done": ended.stats.downloaded, "total": self._wanted.limit}
        if (asking := self._asking.get(name)) is not None:
            return {"state": "asking", "done": len(asking.files), "total": self._wanted.limit}
        return {"state": "waiting"}
