"""What a context asks for, done on the worker's loop and fenced by the attempt's lease."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from swather.errors import AttemptOver, Postponed
from swather.model.lease import Permits
from swather.model.outcome import File, Item, Verdict
from swather.model.pacing import MAX_AHEAD_SECONDS
from swather.model.task import Target
from swather.net.fetcher import Fetcher
from swather.net.page import Page
from swather.net.request import Request
from swather.net.robots import Robots
from swather.scraping.files import FileStore
from swather.store.ports import Store
from swather.store.writer import Writer
from swather.worker.attempt import Attempt, Cut, lease_lost
from swather.worker.places import Places
from swather.worker.politeness import Politeness
from swather.worker.reach import Reach
from swather.worker.saving import FULL_SECONDS, DiskFull, Saving
from swather.worker.sites import Sites
from swather.worker.slots import Slots
from swather.worker.stored_pages import Keeper, StoredPages
from swather.worker.traffic import Traffic
from swather.worker.trip import AttemptTrip, Fetch


class Services:
    """What the attempts of one worker share."""

    worker_id: Callable[[], int]
    slots: Slots
    sites: Sites
    robots: Robots
    reach: Reach

    def __init__(
        self,
        writer: Writer,
        files: FileStore,
        disk: Executor,
        new_fetcher: Callable[[], Fetcher],
        folder: Path,
        on_children: Callable[[], None],
    ) -> None:
        self.traffic = Traffic(self._ask, Places(self._tell_in_flight))
        self.writer = writer
        self.disk = disk
        self.saving = Saving(files, disk)
        # Where child processes start, as the worker did.
        self.folder = folder
        self.on_children = on_children
        self._new_fetcher = new_fetcher
        self._fetcher: Fetcher | None = None
        self.keeper = Keeper(writer)
        # In a replay: where all pages come from.
        self.stored: StoredPages | None = None

    @property
    def fetcher(self) -> Fetcher:
        if self._fetcher is None:
            self._fetcher = self._new_fetcher()
        return self._fetcher

    def begin(
        self, worker_id: Callable[[], int], store: Store, policy: Politeness, sites: Sites
    ) -> None:
        """The threads of the worker are there. It may be given up and go on under another id."""
        self.worker_id = worker_id
        self.sites = sites
        self.reach = Reach(store.allowed_hosts, self.disk)
        self.robots = Robots(
            store.robots,
            user_agent=policy.user_agent,
            executor=self.disk,
            ttl_seconds=policy.robots_ttl_seconds,
            max_crawl_delay_seconds=policy.max_crawl_delay_seconds,
        )

    def forget(self, run_id: int) -> None:
        """The run is over."""
        if self._fetcher is not None:
            self._fetcher.forget(run_id)

    def _ask(
        self, attempt: Attempt, lane: str, *, held: int | None = None, gives_up: bool = False
    ) -> Awaitable[Permits]:
        _check(attempt)
        return asyncio.wrap_future(
            self.writer.permits(
                attempt.fence,
                lane,
                in_flight=held,
                gives_up=gives_up,
                ahead_seconds=MAX_AHEAD_SECONDS,
            )
        )

    def _tell_in_flight(self, lane: str, n: int) -> Awaitable[None]:
        return asyncio.wrap_future(self.writer.set_in_flight(self.worker_id(), lane, n))

    async def close(self) -> None:
        if self._fetcher is not None:
            await self._fetcher.close()
        if self.stored is not None:
            await self.stored.close()


class LoopVerbs:
    """See swather.scraping.context.Verbs."""

    __slots__ = ("_attempt", "_services")

    def __init__(self, attempt: Attempt, services: Services) -> None:
        self._attempt = attempt
        self._services = services

    def fetch(self, request: Request) -> Coroutine[Any, Any, Page]:
        attempt = self._attempt
        _check(attempt)
        services = self._services
        if services.stored is not None:
            return services.stored.fetch(attempt, request)
        trip = attempt.trip
        if trip is None:
            trip = attempt.trip = AttemptTrip(attempt, services)
        fetching = services.fetcher.fetch(request, Fetch(trip))
        return self._fetch_and_keep(request, fetching) if attempt.job.keeps_pages else fetching

    async def checkpoint(
        self,
        part: int,
        cursor: Any,
        items: Sequence[Item],
        children: Sequence[Target],
        files: Sequence[File],
    ) -> None:
        _check(self._attempt)
        self._keep(
            await asyncio.wrap_future(
                self._services.writer.checkpoint(
                    self._attempt.fence,
                    part=part,
                    cursor=cursor,
                    items=items,
                    children=children,
                    files=files,
                )
            )
        )
        if files:
            self._services.saving.link((self._attempt.lease.task_id, part), files)
        if children:
            self._services.on_children()

    async def progress(self, data: Any) -> None:
        _check(self._attempt)
        self._keep(
            await asyncio.wrap_future(self._services.writer.progress(self._attempt.fence, data))
        )

    async def save(self, content: bytes | Path, name: str | None, media_type: str) -> File:
        _check(self._attempt)
        if isinstance(content, Path):
            content = Path.cwd() / content  # by now; the disk's thread may come to it later
        try:
            return await self._services.saving.keep(content, name, media_type)
        except DiskFull as error:
            self._attempt.postponed = FULL_SECONDS
            raise Postponed(f"{error.strerror}; the target comes again later") from error

    async def _fetch_and_keep(self, request: Request, fetching: Coroutine[Any, Any, Page]) -> Page:
        page = await fetching
        self._services.keeper.keep(self._attempt, request, page)
        return page

    def _keep(self, verdict: Verdict) -> None:
        if verdict is Verdict.STALE:
            self._attempt.cut = self._attempt.cut or Cut.LOST
            raise lease_lost(self._attempt)


def _check(attempt: Attempt) -> None:
    if attempt.cut is not None:
        raise lease_lost(attempt)
    if attempt.ended:
        raise AttemptOver("this attempt is over; nothing more is taken for it")
    if attempt.postponed is not None:
        raise Postponed("this attempt was put off; nothing it does will be kept")
