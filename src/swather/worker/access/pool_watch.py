"""Keeps a worker's view of the proxy pool fresh, and tells the database how proxies fare."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from time import monotonic
from typing import Any, Final

from swather.model.proxy import BlacklistRule
from swather.model.run import Run
from swather.net.egress_policy import PoolPolicy
from swather.scraping.proxies import Selection
from swather.store.ports import Store
from swather.worker.access.pool_reports import PoolReports
from swather.worker.access.pool_view import PoolView
from swather.worker.access.sites import Background
from swather.worker.settings import Registration

# How often the database is asked whether the pool has changed, and told how proxies fare.
LOOK_SECONDS: Final = 0.5
# Without a request for so long, it is not asked any more.
REST_SECONDS: Final = 30.0
CLOSE_SECONDS: Final = 2.0

_log = logging.getLogger(__name__)


class PoolWatch:
    """Belongs to the loop's thread. `view` is None until the pool was read. `changed` is set, and
    replaced by another event, when there is another view.
    """

    def __init__(
        self,
        selection: Selection,
        policy: PoolPolicy,
        background: Background,
        registration: Registration,
    ) -> None:
        self.view: PoolView | None = None
        self.reports = PoolReports()
        self.changed = asyncio.Event()
        self._selection = selection
        self._policy = policy
        self._background = background
        self._registration = registration
        self._rule = BlacklistRule(policy.threshold, policy.blacklist_seconds)
        # The names of its runs, by id, and how many egresses the database was told they have.
        self._runs: dict[int, str] = {}
        self._told: dict[int, int] = {}
        self._told_at = 0.0
        self._leased = -1
        self._used_at = 0.0
        self._looking: asyncio.Task[None] | None = None
        self._look_now = asyncio.Event()

    def use(self) -> None:
        """Someone wants a proxy: look from now on, unless that is so already."""
        self._used_at = monotonic()
        if self._looking is None:
            self._looking = asyncio.get_running_loop().create_task(self._keep_looking())

    def hurry(self) -> None:
        """There is something to tell that the fleet should know at once."""
        self._look_now.set()

    def serve(self, run: Run) -> None:
        """From now on its limits keep step with the number of proxies, if it has any."""
        if not run.lane_limits.are_none:
            self._runs[run.id] = run.name

    def forget(self, run_id: int) -> None:
        self._runs.pop(run_id, None)
        self._told.pop(run_id, None)

    async def call(self, work: Callable[[Store], Any]) -> Any:
        """Do this on the database, in the background."""
        return await asyncio.wrap_future(self._background.call(work))

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            try:
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self._tell()
            except Exception as error:  # noqa: BLE001 - the worker ends all the same
                _log.warning("the database was not told how the last proxies fared: %s", error)

    @property
    def _is_wanted(self) -> bool:
        """Nobody asks for a proxy while there is none, but somebody waits for one."""
        is_out = self.view is not None and self.view.is_out
        return is_out or monotonic() - self._used_at < REST_SECONDS

    async def _keep_looking(self) -> None:
        failed = False
        while self._is_wanted:
            self._look_now.clear()
            try:
                await self._look(await self._tell())
                failed = False
            except Exception as error:  # noqa: BLE001 - it is tried again until it succeeds
                if not failed:
                    _log.warning("the proxy pool could not be read, trying again: %s", error)
                failed = True
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._look_now.wait()
        # The next request looks again, and waits for that.
        self.view = self._looking = None

    async def _tell(self) -> int:
        """Tell the database how proxies fare; the version of the pool."""
        reports, self._told_at = self.reports.take(), monotonic()

        def tell(store: Store) -> int:
            if reports:
                return store.proxies.report(reports, self._rule)
            return store.proxies.version()

        try:
            version: int = await self.call(tell)
        except BaseException:
            self.reports.give_back(reports)
            raise
        return version

    async def _look(self, version: int) -> None:
        """Read the pool if it is of another version, and tell its runs how many egresses they have
        if that is another number.
        """
        if self.view is None or self.view.version != version:
            view: PoolView = await self.call(self._read)
            if self.view is not None:
                view.keep_marks(self.view, made_after=self._told_at)
            self.view = view
            changed, self.changed = self.changed, asyncio.Event()
            changed.set()
        egresses = max(self.view.healthy, 1)
        untold = {
            number: name
            for number, name in self._runs.items()
            if self._told.get(number) != egresses
        }
        if untold:
            await self.call(lambda store: _set_egresses(store, untold.values(), egresses))
            self._told.update(dict.fromkeys(untold, egresses))

    def _read(self, store: Store) -> PoolView:
        tags, country, source = self._selection
        leased = None
        if self._policy.per_worker is not None:
            leased = store.proxies.checkout(
                self._registration.worker_id,
                self._policy.per_worker,
                tags=(*tags, *self._policy.tags),
                country=country,
                source=source,
            )
            self._warn_of_few(len(leased), self._policy.per_worker)
        read_at = monotonic()
        pool = store.proxies.pool(tags=tags, country=country, source=source)
        return PoolView(pool, read_at, self._selection, leased=leased, tags=self._policy.tags)

    def _warn_of_few(self, leased: int, wanted: int) -> None:
        if leased < wanted and leased != self._leased:
            _log.warning(
                "this worker asked for %d proxies of its own, and %d were free", wanted, leased
            )
        self._leased = leased


def _set_egresses(store: Store, runs: Iterable[str], egresses: int) -> None:
    for run in runs:
        store.runs.set_egresses(run, egresses)
